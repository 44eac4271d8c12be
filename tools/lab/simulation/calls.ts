import type { Context } from "aws-lambda";
import { requestExampleOf } from "../../../lambdas/declaration/request-example.ts";
import { formatTokenValue } from "../../../lambdas/domain/tokens/token-value.ts";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { exchangeToken } from "../../../lambdas/v1/exchange-token.ts";
import { apiEvent, lambdaContext } from "../../support/events.ts";
import { recordFunction } from "./records/tables.ts";
import type { Call } from "./schedule.ts";
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

/** A function and the event that it is invoked with. */
export interface Invocation {
  functionName: string;
  event: unknown;
}

interface Circumstances {
  requestId: string;
  /** The `ETag` that a conditional change is sent with, or the time of change of a record. */
  ifMatch?: string | undefined;
  /** The address that the request comes from, instead of the one that the call names. */
  address?: string | undefined;
  situation: Situation;
}

/** Returns the invocation for a call, or `undefined` if the call is impossible because its token does not exist. */
export const invocationOf = (call: Call, circumstances: Circumstances): Invocation | undefined => {
  const { situation, ifMatch } = circumstances;
  if (call.kind === "record") {
    return { functionName: recordFunction, event: { ...call, ...(ifMatch !== undefined && { seen: ifMatch }) } };
  }
  if (call.kind === "daily run") return { functionName: "notices", event: { task: "daily" } };
  const reference = "token" in call ? call.token : undefined;
  const token = reference === undefined ? undefined : situation.tokenOf(reference);
  if (reference !== undefined && !token) return undefined;
  if (call.kind === "confirm" || call.kind === "reject") {
    const request = situation.requestOf(call.asked);
    return request && { functionName: "admin", event: decision(call, request) };
  }
  if (token && isApiCall(call) && !("door" in call && call.door === "admin")) {
    return requestFor(call, token, circumstances);
  }
  return { functionName: "admin", event: adminPayload(call, token, situation.now()) };
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
  create: "create_key",
  replace: "replace_key",
  delete: "delete_key",
  get: "reveal_key",
  list: "list_keys",
  dismiss: "dismiss_leak",
  restore: "restore_leak",
  inspect: "get",
  tokens: "list",
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
  ...("validSeconds" in call && { valid_seconds: call.validSeconds }),
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
  use: "getToken",
  redeem: "redeemInvitation",
  "rotate own": "rotateToken",
  move: "moveToken",
  leave: "revokeToken",
  exchange: "exchangeToken",
};

/** The endpoints that need only a token. The simulation calls only these endpoints and those above. */
const tokenEndpoints = operations.filter(
  ({ endpoint: { method, uses } }) => method === "GET" && Object.keys(uses).length === 0,
);

/** The endpoints that the simulation calls, by `operationId`. */
export const calledEndpoints: readonly string[] = [
  ...Object.values(endpointNames),
  ...tokenEndpoints.map(({ operationId }) => operationId),
];

type ApiCall = Call & { kind: keyof typeof endpointNames };

const isApiCall = (call: Call): call is ApiCall => call.kind in endpointNames;

/** Returns the invocation for a request to an endpoint. Uses the example's values for parameters that a call does not name. */
const requestFor = (call: ApiCall, token: TokenInHand, circumstances: Circumstances): Invocation => {
  const { requestId, ifMatch, situation } = circumstances;
  const operation =
    call.kind === "use"
      ? tokenEndpoints[Number(requestId.slice(-12)) % tokenEndpoints.length]
      : operations.find(({ operationId }) => operationId === endpointNames[call.kind]);
  if (!operation) throw new Error(`The API has no endpoint for ${call.kind}.`);
  const { endpoint, path: template, operationId } = operation;
  const { method } = endpoint;
  const pathParameters: Readonly<Record<string, string>> =
    "key" in call && call.kind !== "create" ? { key_id: call.key } : requestExampleOf(endpoint).parameters;
  const { address, text } = credentials(call, token);
  const form = formOf(call, situation.start);
  const query = call.kind === "page" ? pageQuery(call.after, situation) : "";
  const event = apiEvent({
    requestId,
    method,
    routeKey: `${method} ${template}`,
    sourceIp: circumstances.address ?? address,
    rawPath: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathParameters[name] ?? ""),
    rawQueryString: query,
    headers: {
      accept: "application/json",
      "x-token": text,
      ...(form && { "content-type": "application/x-www-form-urlencoded" }),
      ...(ifMatch !== undefined && { "if-match": ifMatch }),
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(query !== "" && { queryStringParameters: Object.fromEntries(new URLSearchParams(query)) }),
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  return { functionName: operationId, event };
};

const pageQuery = (after: number | undefined, { nextPageOf }: Situation): string =>
  (after !== undefined && nextPageOf(after)) || "limit=1";

const formOf = (call: ApiCall, start: number): Record<string, string> | undefined => {
  if (call.kind === "exchange")
    return { ...requestExampleOf(exchangeToken).form, subject_token: jwtOf(call.jwt, start) };
  if (call.kind === "rotate own") return { grace_seconds: String(call.graceSeconds) };
  if (!("letter" in call)) return undefined;
  return { ...(call.kind === "create" && { key_id: call.key }), v_code: vCodeOf(call.letter) };
};

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
