import assert from "node:assert/strict";
import { type Server, validateHeaderName, validateHeaderValue } from "node:http";
import { api } from "../../lambdas/api.ts";
import { type Operation, operationsOf } from "../../lambdas/declaration/operations.ts";
import { errorCatalogue } from "../../lambdas/errors/catalogue.ts";
import { canonicalIp } from "../../lambdas/resources/tokens/ip-address.ts";
import { answerContract } from "../support/contract/answer-contract.ts";
import { descriptionOf } from "../support/contract/description.ts";
import { decodeBody } from "../support/decode-body.ts";
import { secretMark } from "./case.ts";
import type { Fixtures } from "./fixtures.ts";

/** The outcome of a case. */
export interface Sent {
  functionName: string;
  event: Record<string, unknown>;
  outcome: { answer: unknown } | { error: unknown };
  log: string;
  cpuMilliseconds: number;
}

/** A call that the functions made to the database. */
export interface DatabaseCall {
  operation: string;
  table: string;
  keyId: string | undefined;
  /** It writes anything besides the last use of a token and the number of uses. */
  isWrite: boolean;
  /** It is an update that may fail because of its condition. */
  isConditional: boolean;
  isUse: boolean;
  /** It counts a request of a token with a limit. */
  isCount: boolean;
}

interface CallBody {
  TableName?: string;
  Key?: Record<string, { S?: string }>;
  Item?: Record<string, { S?: string }>;
  UpdateExpression?: string;
  ConditionExpression?: string;
}

/** Records the calls to an embedded database until they are taken. */
export const noteCalls = (server: Server): { take(): DatabaseCall[] } => {
  let calls: DatabaseCall[] = [];
  server.on("request", (request) => {
    const operation = String(request.headers["x-amz-target"]).split(".")[1] ?? "";
    const chunks: Buffer[] = [];
    request.on("data", (chunk: string | Buffer) => {
      chunks.push(Buffer.from(chunk));
    });
    request.once("end", () => {
      calls.push(readCall(operation, Buffer.concat(chunks).toString("utf8")));
    });
  });
  return {
    take() {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
};

const readCall = (operation: string, text: string): DatabaseCall => {
  const { TableName = "", Key, Item, UpdateExpression = "", ConditionExpression }: CallBody = JSON.parse(text);
  const isUse = UpdateExpression === "SET last_used_at = :used_at REMOVE repeat_nonce";
  const isCount = UpdateExpression.startsWith("ADD taken ");
  const isWrite = !isUse && !isCount && ["PutItem", "UpdateItem", "DeleteItem"].includes(operation);
  const isConditional = operation === "UpdateItem" && ConditionExpression !== undefined;
  return { operation, table: TableName, keyId: (Key ?? Item)?.key_id?.S, isWrite, isConditional, isUse, isCount };
};

const cpuLimitMilliseconds = 1_000;
/** The size of headers that API Gateway accepts. */
const headerLimitBytes = 10_240;

const operations = new Map(operationsOf(api).map((operation) => [operation.functionName, operation]));
const { assertDescribed } = answerContract(descriptionOf(api));

const otherStatuses: Record<string, readonly number[]> = {
  admin: [200, 201, 204, 400, 401, 403, 404, 409, 413, 415, 422],
  fallback: [302, 404, 405],
  site: [200, 206, 304, 404, 416],
};

/** The beginning of a token or an invitation. */
const tokenText = /it[ik]_[0-9A-Z]{26}_/;

interface Answer {
  statusCode: number;
  headers: Record<string, string>;
  body?: string;
  isBase64Encoded?: boolean;
}

/** Whether the service accepted the case: a 2xx, or an invocation that succeeded. Throws if an invariant is violated. */
export const assertPromises = (sent: Sent, calls: DatabaseCall[], fixtures: Fixtures): { isTaken: boolean } => {
  assert.ok(sent.cpuMilliseconds < cpuLimitMilliseconds, `it took ${sent.cpuMilliseconds} ms of CPU time`);
  assertQuietLog(sent, fixtures);
  const isTaken = "statusCode" in Object(answerOf(sent)) ? assertHttp(sent, fixtures) : assertInvocation(sent);
  if (!isTaken) assertNoWrite(sent, calls);
  return { isTaken };
};

const answerOf = ({ outcome }: Sent): unknown => ("answer" in outcome ? outcome.answer : undefined);

const assertHttp = (sent: Sent, fixtures: Fixtures): boolean => {
  const answer = answerOf(sent) as Answer;
  const { statusCode, headers } = answer;
  const body = textOf(answer);
  assert.ok(statusCode < 500, `${sent.functionName} answered ${statusCode}: ${sent.log}`);
  let bytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    bytes += name.length + value.length;
  }
  // Only the fallback gets paths of any length.
  const isPathOwn = sent.event.rawPath === Object(sent.event.requestContext).http.path;
  assert.ok(bytes < headerLimitBytes || !isPathOwn, `the headers of the response have ${bytes} bytes`);

  const isTaken = statusCode < 300 || statusCode === 304;
  const operation = operations.get(sent.functionName);
  if (operation) {
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    const path = operation.path.replace(/\{\w+\}/, "x");
    // No gateway sends an event without an address. All endpoints refuse it, even those that work from anywhere.
    const isRefused = statusCode === 403 && credentialsOf(sent).ip === undefined;
    if (!isRefused) {
      assertDescribed(operation.endpoint.method, path, { status: statusCode, headers: lower, text: body });
    }
    if (isTaken) assertVerified(sent, operation, fixtures);
    assertLimit(sent, fixtures);
  } else {
    assert.ok(otherStatuses[sent.functionName]?.includes(statusCode), `${sent.functionName} answered ${statusCode}`);
    if (sent.functionName === "admin" && isTaken) assertSignedIn(sent);
  }
  if (body && headers["Content-Type"] === "application/json") JSON.parse(body);
  for (const secret of fixtures.tokenSecrets) assert.ok(!body.includes(secret), "the response has a token's secret");
  if (!isTaken) {
    assert.doesNotMatch(body, tokenText, "a refusal has the text of a token");
    for (const secret of [...fixtures.storedVCodes, secretMark]) {
      assert.ok(!body.includes(secret), "a refusal has a secret");
    }
  }
  return isTaken;
};

/** The body as text, decoded as a client would. */
const textOf = ({ headers, body = "", isBase64Encoded }: Answer): string => {
  if (!isBase64Encoded) return body;
  return decodeBody(Buffer.from(body, "base64"), headers["Content-Encoding"]).toString();
};

const credentialsOf = ({ event }: Sent) => {
  const { headers, requestContext } = event as {
    headers: Record<string, string>;
    requestContext: { http: { sourceIp?: string } };
  };
  return { text: headers["x-token"], ip: canonicalIp(requestContext.http.sourceIp ?? "") };
};

const unrotated = ["active", "moving", "limited", "elsewhere"];
const working = [...unrotated, "rotated"];

interface Success {
  /** The names of the tokens or invitations with which a success is possible. */
  names: readonly string[];
  /** The addresses from which a success is possible. */
  from: "home" | "elsewhere" | "the confirmed address" | "anywhere";
}

/** The requirements of a success, by the endpoint's credential and the status. */
const successes: Readonly<Record<string, Success>> = {
  "invitation 201": { names: ["invited", "invitedLimited"], from: "home" },
  "invitation 202": { names: ["unaddressed", "waiting"], from: "anywhere" },
  "secret 201": { names: unrotated, from: "home" },
  "secret 202": { names: unrotated, from: "elsewhere" },
  "secret 204": { names: [...working, "expired", "revoked"], from: "anywhere" },
  "secret 201 from elsewhere": { names: ["moving"], from: "the confirmed address" },
};

/** A successful request has a working credential of the kind that its endpoint takes, and comes from the right address. */
const assertVerified = (sent: Sent, { endpoint, functionName }: Operation, fixtures: Fixtures): void => {
  const { text, ip } = credentialsOf(sent);
  const { statusCode } = answerOf(sent) as Answer;
  const name = fixtures.nameOf(text) ?? "unknown";
  const isHome = ip === (name === "elsewhere" ? fixtures.elsewhereIp : fixtures.validIp);
  const { credential, example } = endpoint;
  const kind = `${credential} ${statusCode}`;
  const moved = `${kind} from elsewhere`;
  const success = (example.from !== undefined && successes[moved]) || successes[kind];
  const { names, from }: Success = success ?? { names: working, from: "home" };
  const what = `${functionName} answered ${statusCode} to ${name}, from ${ip}`;
  assert.ok(names.includes(name), what);
  if (from === "home") assert.ok(isHome, what);
  if (from === "elsewhere") assert.ok(!isHome && ip !== undefined, what);
  if (from === "the confirmed address") assert.equal(ip, fixtures.confirmedIp, what);
};

/** Responses to a token with a limit have its headers, unless it is sent from elsewhere. No other token reaches a limit. */
const assertLimit = (sent: Sent, { nameOf, validIp }: Fixtures): void => {
  const { statusCode, headers } = answerOf(sent) as Answer;
  const { text, ip } = credentialsOf(sent);
  const isLimited = ["limited", "invitedLimited"].includes(nameOf(text) ?? "") && ip === validIp;
  if (statusCode < 300 || statusCode === 304 || statusCode === 429)
    assert.equal(headers.RateLimit !== undefined, isLimited, "a wrong limit");
  if (statusCode === 429) assert.equal(isLimited, true, "a token without a limit reached one");
};

const assertSignedIn = ({ event }: Sent): void => {
  const { requestContext } = event as { requestContext: { authorizer?: { jwt: { claims: Record<string, unknown> } } } };
  const claims = requestContext.authorizer?.jwt.claims;
  assert.equal(claims?.token_use, "access");
  assert.match(String(claims?.["cognito:groups"]), /Admin|Superuser/);
};

/** An invocation succeeds, or is refused with an error of the catalogue. */
const assertInvocation = ({ functionName, outcome }: Sent): boolean => {
  if ("answer" in outcome) return true;
  assert.equal(functionName, "admin", `${functionName} threw ${String(outcome.error)}`);
  const { name = "", message = "" } = outcome.error as Partial<Error>;
  const known = Object.entries(errorCatalogue).find(([code]) => code === name);
  assert.ok(known && known[1].status < 500, `it failed with ${String((outcome.error as Error)?.stack)}`);
  assert.ok(!message.includes(secretMark) && !tokenText.test(message), "the refusal has a secret");
  return false;
};

/** A refused request writes nothing, unless the condition of the write itself is what refuses it. */
const assertNoWrite = (sent: Sent, calls: DatabaseCall[]): void => {
  const { statusCode } = Object(answerOf(sent)) as Partial<Answer>;
  const written = calls.filter(({ isWrite, isConditional, keyId }) => isWrite && !isConditional && keyId === undefined);
  assert.deepEqual(written, [], "a refused request wrote to the tokens");
  if (statusCode !== undefined && [302, 401, 403, 405, 413, 415, 429].includes(statusCode)) {
    assert.deepEqual(
      calls.filter(({ isWrite }) => isWrite),
      [],
      "it wrote before the token was admitted",
    );
  }
  if (statusCode !== undefined && [302, 401, 403, 429].includes(statusCode)) {
    assert.deepEqual(
      calls.filter(({ isUse, isCount }) => isUse || (isCount && statusCode !== 429)),
      [],
      "it recorded the use of a token that was refused",
    );
  }
};

const assertQuietLog = ({ log, outcome }: Sent, { tokenSecrets, storedVCodes }: Fixtures): void => {
  // Lambda itself logs the error that a function throws.
  assert.ok(log.endsWith("\n") || "error" in outcome, "nothing was logged");
  for (const line of log.split("\n").slice(0, -1)) {
    const { message } = JSON.parse(line);
    assert.equal(typeof message, "string");
  }
  assert.doesNotMatch(log, tokenText);
  for (const secret of [secretMark, ...tokenSecrets, ...storedVCodes]) {
    assert.ok(!log.includes(secret), `the log has a secret: ${log}`);
  }
};
