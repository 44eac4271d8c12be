import assert from "node:assert/strict";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { decodeJwt } from "jose";
import * as z from "zod/mini";
import { type Operation, operationsOf } from "../../../lambdas/declaration/operations.ts";
import type { Service } from "../../../lambdas/declaration/service.ts";
import { canonicalIp } from "../../../lambdas/domain/tokens/ip-address.ts";
import { errorCatalogue, otherErrors } from "../../../lambdas/shared/errors/catalogue.ts";
import { descriptionOf } from "../contract/description.ts";
import { responseContract } from "../contract/response-contract.ts";
import { decodeBody, isSuccess } from "../support/decode-body.ts";
import { secretMark, tokens } from "./case.ts";
import { type Contents, type Fixtures, places } from "./fixtures.ts";

/** The outcome of a case. */
export interface Sent {
  functionName: string;
  event: Record<string, unknown>;
  outcome: { answer: unknown } | { error: unknown };
  log: string;
  cpuMilliseconds: number;
}

interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  body?: string;
  isBase64Encoded?: boolean;
}

const cpuLimitMilliseconds = 1_000;
/** The maximum size of headers in API Gateway. */
const headerLimitBytes = 10_240;

/** Matches the beginning of a token or an invitation. */
const tokenValue = /it[ik]_[0-9A-Z]{26}_/;

/**
 * Returns a function that checks whether a service accepted a case, which means a 2xx or a successful invocation. The function
 * throws if an invariant is violated.
 */
export const judgeOf = (service: Service, fixtures: Fixtures) => {
  const operations = new Map(operationsOf(service).map((operation) => [operation.functionName, operation]));
  const { assertDescribed } = responseContract(descriptionOf(service));
  const surroundings = { operations, assertDescribed, fixtures };

  return (sent: Sent): boolean => {
    assert.ok(sent.cpuMilliseconds < cpuLimitMilliseconds, `it took ${sent.cpuMilliseconds} ms of CPU time`);
    assertQuietLog(sent, fixtures);
    const response = httpAnswerOf(sent);
    return response ? assertHttp(sent, response, surroundings) : assertInvocation(sent);
  };
};

interface Surroundings extends ReturnType<typeof responseContract> {
  operations: ReadonlyMap<string, Operation>;
  fixtures: Fixtures;
}

/** Returns the HTTP response of a function, or `undefined` for the outcome of an invocation. */
export const httpAnswerOf = ({ outcome }: Sent): Answer | undefined =>
  "answer" in outcome && "statusCode" in Object(outcome.answer) ? (outcome.answer as Answer) : undefined;

const assertHttp = (sent: Sent, response: Answer, { operations, assertDescribed, fixtures }: Surroundings): boolean => {
  const { functionName, event } = sent;
  const { statusCode, headers } = response;
  const body = textOf(response);
  assert.ok(statusCode < 500, `${functionName} responded with ${statusCode}: ${sent.log}`);
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    bytes += name.length + value.length;
  }
  // Only the fallback receives paths of unlimited length.
  const isPathOwn = event.rawPath === Object(event.requestContext).http.path;
  assert.ok(bytes < headerLimitBytes || !isPathOwn, `the headers of the response have ${bytes} bytes`);

  const isTaken = isSuccess(statusCode) || statusCode === 304;
  const operation = operations.get(functionName);
  if (operation) {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const path = operation.path.replace(/\{\w+\}/g, "x");
    // No gateway sends an event without an address. All endpoints reject such events, even endpoints that accept any address.
    const isRefused = statusCode === 403 && credentialsOf(sent).ip === undefined;
    if (!isRefused) {
      assertDescribed(operation.endpoint.method, path, { status: statusCode, headers: lower, text: body });
    }
    if (isTaken) assertVerified(sent, statusCode, operation, fixtures);
  } else if (functionName === "admin-http" && isTaken) assertSignedIn(sent);
  if (body && headers["Content-Type"] === "application/json") JSON.parse(body);
  assertNone(fixtures.tokenSecrets, body, "the response has a token's secret");
  if (!isTaken) {
    assert.doesNotMatch(body, tokenValue, "a refusal has the value of a token");
    assertNone([...fixtures.vCodes, secretMark], body, "a refusal has a secret");
  }
  return isTaken;
};

const assertNone = (secrets: readonly string[], text: string, problem: string): void =>
  assert.ok(!secrets.some((secret) => text.includes(secret)), `${problem}: ${text}`);

/** Decodes the body to text, as a client would. */
const textOf = ({ headers, body = "", isBase64Encoded }: Answer): string =>
  isBase64Encoded ? decodeBody(Buffer.from(body, "base64"), headers["Content-Encoding"]).toString() : body;

const credentialsOf = ({ event }: Sent) => {
  const { headers, requestContext } = event as {
    headers: Record<string, string>;
    requestContext: { http: { sourceIp?: string } };
  };
  return { text: headers["x-token"], ip: canonicalIp(requestContext.http.sourceIp ?? "") };
};

const unrotated = ["active", "moving", "elsewhere"];

interface Success {
  /** The names of the tokens or invitations with which a request can succeed. */
  names: readonly string[];
  /** Checks whether a request from an address can succeed. */
  from: (ip: string | undefined, home: string) => boolean;
}

const fromHome: Success["from"] = (ip, home) => ip === home;
const fromAnywhere: Success["from"] = (ip) => ip !== undefined;

/** The requirements for a success, by the endpoint's credential and the status. */
const successes: Readonly<Record<string, Success>> = {
  "invitation 201": { names: ["invited"], from: fromHome },
  "invitation 202": { names: ["unaddressed", "waiting"], from: fromAnywhere },
  "secret 201": { names: unrotated, from: fromHome },
  "secret 202": { names: unrotated, from: (ip, home) => ip !== undefined && ip !== home },
  "secret 204": { names: tokens, from: fromAnywhere },
  "secret 201 from elsewhere": { names: ["moving"], from: (ip) => ip === places.confirmed },
};

/** Asserts that a successful request has a working credential of the kind that its endpoint takes, and the right address. */
const assertVerified = (
  sent: Sent,
  statusCode: number,
  { endpoint: { credential, example }, functionName }: Operation,
  fixtures: Fixtures,
): void => {
  const { text, ip } = credentialsOf(sent);
  if (credential === "workload") {
    const { body = "", isBase64Encoded } = sent.event as { body?: string; isBase64Encoded?: boolean };
    const form = new URLSearchParams(isBase64Encoded ? Buffer.from(body, "base64").toString() : body);
    assert.equal(form.get("subject_token"), fixtures.jwt, `${functionName} responded with ${statusCode}`);
    return;
  }
  const name = fixtures.nameOf(text);
  const kind = `${credential} ${statusCode}`;
  const moved = example?.from !== undefined ? successes[`${kind} from elsewhere`] : undefined;
  const success = moved ?? successes[kind] ?? { names: [...unrotated, "rotated"], from: fromHome };
  const isActive = success.names.includes(/^other\d/.test(name) ? "active" : name);
  const isAllowed = success.from(ip, name === "elsewhere" ? places.elsewhere : places.home);
  assert.ok(isActive && isAllowed, `${functionName} responded with ${statusCode} to ${name}, from ${ip}`);
};

const assertSignedIn = ({ event }: Sent): void => {
  const { authorization = "" } = event.headers as Record<string, string>;
  const { forged, token_use, "cognito:groups": groups } = decodeJwt(authorization.slice("Bearer ".length));
  assert.deepEqual({ forged, token_use }, { forged: undefined, token_use: "access" });
  assert.ok(Array.isArray(groups) && (groups.includes("Admin") || groups.includes("Superuser")));
};

/** Asserts that an invocation succeeds, or is rejected with an error of the catalogue. */
const assertInvocation = ({ functionName, outcome }: Sent): boolean => {
  if ("answer" in outcome) return true;
  const { name = "", message = "" } = outcome.error as Partial<Error>;
  // API Gateway sends no event without an address.
  const mayThrow = functionName === "admin" || (functionName === "admin-http" && name === "sign_in_required");
  assert.ok(mayThrow, `${functionName} threw ${String(outcome.error)}`);
  const known = Object.entries({ ...errorCatalogue, ...otherErrors }).find(([code]) => code === name);
  assert.ok(known && known[1].status < 500, `it failed with ${String((outcome.error as Error)?.stack)}`);
  assert.ok(!message.includes(secretMark) && !tokenValue.test(message), "the refusal has a secret");
  return false;
};

const assertQuietLog = ({ log, outcome }: Sent, { tokenSecrets, vCodes }: Fixtures): void => {
  // Lambda itself logs the error that a function throws.
  assert.ok(log.endsWith("\n") || "error" in outcome, "nothing was logged");
  for (const line of log.split("\n").slice(0, -1)) assert.equal(typeof JSON.parse(line).message, "string");
  assert.doesNotMatch(log, tokenValue);
  assertNone([secretMark, ...tokenSecrets, ...vCodes], log, "the log has a secret");
};

/**
 * Asserts that a rejected request changes nothing. If its token is rejected, not even the time of last use may change. An error of an
 * application comes from a handler, which has a valid token.
 */
export const assertUnchanged = (sent: Sent, before: Contents, after: Contents): void => {
  assert.equal(after.lasting, before.lasting, "a refused request changed a record");
  const response = httpAnswerOf(sent);
  const isJson = response?.headers["Content-Type"] === "application/json";
  const { code } = Object(isJson && JSON.parse(textOf(response)));
  const isOfHandler = code !== undefined && !(code in errorCatalogue);
  if (!isOfHandler && [302, 307, 401, 403, 429].includes(response?.statusCode ?? 0)) {
    assert.equal(after.whole, before.whole, "it recorded the use of a token that was refused");
  }
};

const shownKey = z.object({ key_id: z.string(), v_code: z.string(), created_at: z.string(), updated_at: z.string() });

/** Asserts that the key in a response is the stored key. */
export const assertTold = (sent: Sent, { keys }: Contents): void => {
  const response = httpAnswerOf(sent);
  // A 304 has no body.
  const isJson = response?.headers["Content-Type"] === "application/json" && response.statusCode !== 304;
  const content: unknown = response ? isJson && JSON.parse(textOf(response)) : Object(sent.outcome).answer;
  const { data } = z.safeParse(shownKey, content);
  if (!data) return;
  const stored = keys.find(({ key_id }) => key_id?.S === data.key_id);
  const shown = Object.fromEntries(Object.keys(data).map((name) => [name, stored?.[name]?.S]));
  assert.deepEqual(shown, data, "the response differs from the stored key");
};
