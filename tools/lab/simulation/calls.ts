import type { Context } from "aws-lambda";
import { formatTokenValue } from "../../../lambdas/domain/tokens/token-value.ts";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { exchangeToken } from "../../../lambdas/v1/exchange-token.ts";
import { apiEvent, lambdaContext } from "../../support/events.ts";
import type { Call, KeyName } from "./schedule.ts";
import { operations } from "./service.ts";
import {
  addressOf,
  clientAddress,
  otherAddress,
  type RequestInSight,
  type Situation,
  type TokenInHand,
  vCodeOf,
} from "./situation.ts";
import { jwtOf } from "./world/issuer.ts";

interface Circumstances {
  requestId: string;
  /** The `ETag` that a conditional change is sent with. */
  ifMatch?: string | undefined;
  situation: Situation;
}

/** Returns the invocation for a call, or `undefined` if the call is impossible because its token does not exist. */
export const invocationOf = (call: Call, circumstances: Circumstances): Invocation | undefined => {
  const { situation } = circumstances;
  if (call.kind === "daily run") return { functionName: "notices", event: { task: "daily" } };
  const reference = "token" in call ? call.token : undefined;
  const token = reference === undefined ? undefined : situation.tokenOf(reference);
  if (reference !== undefined && !token) return undefined;
  if (call.kind === "confirm" || call.kind === "reject") {
    const request = situation.requestOf(call.asked);
    return request && { functionName: "admin", event: decision(call, request) };
  }
  const isAdmin = "door" in call ? call.door === "admin" : !isApiCall(call);
  if (isAdmin) return { functionName: "admin", event: adminPayload(call, token, situation.now()) };
  return token && apiInvocation(call, { ...circumstances, token });
};

/** Returns the payload of a decision about a client's request. */
const decision = ({ kind, as }: Call & { kind: "confirm" | "reject" }, { token_id, ip, code }: RequestInSight) => ({
  action: kind,
  token_id,
  ip: as === "another address" ? anotherThan(ip) : ip,
  code: as !== "another code" ? code : code === "333-333" ? "444-444" : "333-333",
});

/** The admin actions whose names differ from the kinds of the calls. */
const actionNames: Partial<Record<Call["kind"], string>> = {
  ...{ create: "create_key", replace: "replace_key", delete: "delete_key", get: "reveal_key", list: "list_keys" },
  ...{ dismiss: "dismiss_leak", restore: "restore_leak", inspect: "get", tokens: "list" },
};

/** Returns the payload of any other admin action. */
const adminPayload = (call: Call, token: TokenInHand | undefined, now: number) => ({
  action: actionNames[call.kind] ?? call.kind,
  ...(token && !("door" in call) && idOf(call, token)),
  ...("key" in call && { key_id: call.key }),
  ...("letter" in call && { v_code: vCodeOf(call.letter) }),
  ...("ip" in call && { ip: call.ip }),
  ...(call.kind === "issue" && { ip: clientAddress }),
  ...("isKnown" in call && { ip: call.isKnown ? clientAddress : null }),
  ...("tokenSeconds" in call && { token_seconds: call.tokenSeconds }),
  ...("limit" in call && { rate_limit: call.limit }),
  ...("graceSeconds" in call && { grace_seconds: call.graceSeconds }),
  ...("expiresAfter" in call && {
    expires_at: call.expiresAfter === null ? null : new Date(now + call.expiresAfter).toISOString(),
  }),
});

/** Returns the fields that identify the subject of the payload. A trust that does not exist yet has no id. */
const idOf = ({ kind }: Call, { token_id }: TokenInHand): Record<string, string> => {
  if (kind === "create_trust") return { issuer: exampleTrust.issuer, subject: exampleTrust.subject };
  return token_id === exampleTrust.token_id ? { trust_id: token_id } : { token_id };
};

const endpointNames = {
  create: "createKey",
  replace: "replaceKey",
  delete: "deleteKey",
  get: "getKey",
  list: "listKeys",
  page: "listKeys",
} as const;

/** The endpoints with which clients manage their own tokens. */
export const clientEndpoints = {
  use: "getToken",
  redeem: "redeemInvitation",
  "rotate own": "rotateToken",
  move: "moveToken",
  leave: "revokeToken",
  exchange: "exchangeToken",
} as const;

/** The endpoints that need only a token. The simulation calls only these endpoints and those above. */
const tokenEndpoints = operations.filter(
  ({ endpoint: { method, uses } }) => method === "GET" && Object.keys(uses).length === 0,
);

/** The endpoints that the simulation calls, by `operationId`. */
export const calledEndpoints: readonly string[] = [
  ...Object.values(endpointNames),
  ...Object.values(clientEndpoints),
  ...tokenEndpoints.map(({ operationId }) => operationId),
];

const operationFor = (call: ApiCall, requestId: string) => {
  if (call.kind === "use") return tokenEndpoints[Number(requestId.slice(-12)) % tokenEndpoints.length];
  const name = { ...endpointNames, ...clientEndpoints }[call.kind];
  return operations.find(({ operationId }) => operationId === name);
};

const apiInvocation = (
  call: Call,
  { requestId, ifMatch, token, situation }: Circumstances & { token: TokenInHand },
): Invocation => {
  if (!isApiCall(call)) throw new Error(`${call.kind} is no call of the API.`);
  const operation = operationFor(call, requestId);
  if (!operation) throw new Error(`The API has no endpoint for ${call.kind}.`);
  const key: KeyName | undefined = "key" in call && call.kind !== "create" ? call.key : undefined;
  const form = formOf(call, situation.start);
  const query = call.kind === "page" ? pageQuery(call.after, situation) : undefined;
  return requestTo(operation, {
    requestId,
    ...credentials(call, token),
    ...(key !== undefined && { parameters: { key_id: key } }),
    ...(form && { form }),
    ...(query !== undefined && { query }),
    ...(ifMatch !== undefined && { headers: { "if-match": ifMatch } }),
  });
};

const pageQuery = (after: number | undefined, { nextPageOf }: Situation): string =>
  (after !== undefined && nextPageOf(after)) || "limit=1";

const formOf = (call: ApiCall, start: number): Record<string, string> | undefined => {
  if (call.kind === "exchange") return { ...exchangeToken.example.form, subject_token: jwtOf(call.jwt, start) };
  if (call.kind === "rotate own") return { grace_seconds: String(call.graceSeconds) };
  if (!("letter" in call)) return undefined;
  return { ...(call.kind === "create" && { key_id: call.key }), v_code: vCodeOf(call.letter) };
};

type ApiCall = Call & { kind: keyof typeof endpointNames | keyof typeof clientEndpoints };

const isApiCall = (call: Call): call is ApiCall => call.kind in clientEndpoints || call.kind in endpointNames;

const credentials = (call: Call, { token_id, text, ip }: TokenInHand): { address: string; text: string } => {
  if ("from" in call) return { address: addressOf(call.from), text };
  if (call.kind !== "use") return { address: ip, text };
  const address = call.as === "wrong address" ? anotherThan(ip) : ip;
  // A secret of the right shape, with the right checksum.
  const wrong = formatTokenValue({ token_id, secret: "0".repeat(43) });
  return { address, text: call.as === "wrong secret" ? wrong : text };
};

const anotherThan = (ip: string): string => (ip === clientAddress ? otherAddress : clientAddress);

/** Returns the id of a request, derived from the number of its operation. */
export const requestIdOf = (id: number): string => `00000000-0000-4000-8000-${String(id).padStart(12, "0")}`;

export const lambdaTimeout = 10_000;

/** Returns the context of an invocation. Lambda ends the invocation after its timeout. */
export const contextOf = (requestId: string, elapsed: () => number): Context => ({
  ...lambdaContext,
  awsRequestId: requestId,
  getRemainingTimeInMillis: () => lambdaTimeout - elapsed(),
});

/** A function and the event that it is invoked with. */
export interface Invocation {
  functionName: string;
  event: unknown;
}

interface ApiRequest {
  requestId: string;
  /** The address that the request comes from, and the value of its `X-Token`. */
  address: string;
  text: string;
  parameters?: Readonly<Record<string, string>>;
  form?: Readonly<Record<string, string>>;
  query?: string;
  headers?: Readonly<Record<string, string>>;
}

/** Returns the invocation for a request to an endpoint. Uses the example's values for parameters that are not given. */
export const requestTo = (
  { endpoint: { method, example }, path: template, operationId }: (typeof operations)[number],
  { requestId, address, text, parameters, form, query, headers = {} }: ApiRequest,
): Invocation => {
  const pathParameters = parameters ?? example.parameters;
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathParameters?.[name] ?? "");
  const event = apiEvent({
    ...{ requestId, sourceIp: address, method, routeKey: `${method} ${template}`, rawPath: path },
    headers: {
      accept: "application/json",
      "x-token": text,
      ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      ...headers,
    },
    ...(pathParameters && { pathParameters }),
    ...(query !== undefined && {
      rawQueryString: query,
      queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    }),
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  return { functionName: operationId, event };
};
