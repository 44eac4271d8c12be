import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Format } from "../../../lambdas/dynamodb/formats.ts";
import { toItem } from "../../../lambdas/dynamodb/records.ts";
import { serveEndpoint } from "../../../lambdas/functions/serve-endpoint.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import { hashSecret, newNonce } from "../../../lambdas/resources/tokens/token-text.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { absentId, dayMs, inMs, newToken } from "../../../tools/support/tokens.ts";
import { type DynamoDBStub, startDynamoDBStub } from "../../support/dynamodb-stub.ts";
import { captureLog } from "../support/captured-log.ts";

/*
 * Somebody edits a record by hand. If the service cannot have written the new value, nobody gets in, and the log names the
 * field.
 */

const id = absentId();
const dismissed = { ip: "2001:db8::1", dismissed_at: inMs(-dayMs), dismissed_by: "admin" };
const asked = { ip: "2001:db8::1", code: "K7P-4XQ", requested_at: inMs(-dayMs), first_at: inMs(-dayMs), attempts: 1 };
const request = { ...asked, decision: "rejected", decided_at: inMs(-dayMs), decided_by: "admin" };
const { text, record } = newToken({
  ...{ changed_at: inMs(-dayMs), expires_at: inMs(dayMs), rate_limit: 5, limit_id: id },
  ...{ updated_at: inMs(-dayMs), updated_by: "admin", predecessor_id: id },
  dismissed_addresses: JSON.stringify([dismissed]),
  ...{ invitation_hash: hashSecret("invitation"), invitation_ends_at: inMs(dayMs), redeemed_at: inMs(-dayMs) },
  ...{ end_set_at: inMs(0), token_expires_at: inMs(dayMs), repeat_nonce: newNonce(), request: JSON.stringify(request) },
  ...{ rotated_at: inMs(-dayMs), rotated_by: "admin", successor_id: id, last_used_at: inMs(0) },
});
const token = toItem({ ...record });
const key = toItem({ key_id: "1", v_code: "v".repeat(64), created_at: inMs(-dayMs), updated_at: inMs(-dayMs) });

/** Forms that no field of a record has. */
const noField: Record<string, unknown> = {
  "a truth": { BOOL: true },
  "an untruth": { BOOL: false },
  null: { NULL: true },
  "a map": { M: { S: { S: "1" } } },
  "a list": { L: [{ S: "1" }] },
  bytes: { B: "AAAA" },
  "a set of texts": { SS: ["1"] },
  "a set of numbers": { NS: ["1"] },
  "a text that is a number": { S: 1 },
  "a text that is null": { S: null },
  "a text that is a list": { S: ["1"] },
  "a number that is a number": { N: 1 },
  "no type": {},
  nothing: null,
  "a plain text": "1",
  "a plain number": 1,
  "half a character": { S: "\ud83d" },
};

const notTimes = [
  { N: "1577836800" },
  ...[
    "",
    "0",
    "null",
    "never",
    "31.12.2020",
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "2020-01-01T00:00:00.000+00:00",
  ].map((S) => ({ S })),
  ...[
    "Wed, 01 Jan 2020 00:00:00 GMT",
    "2020-02-30T00:00:00.000Z",
    "2999-13-01T00:00:00.000Z",
    " 2999-01-01T00:00:00.000Z",
  ].map((S) => ({ S })),
];
const notNumbers = [
  ...["0x10", "5.5", "NaN", "Infinity", "-1", "0", "100001", "1e3", "", " 5", "05"].map((N) => ({ N })),
  { S: "5" },
];
const notIds = ["", "1", "x".repeat(26), absentId().toLowerCase(), ` ${absentId()}`].map((S) => ({ S }));
const notHashes = ["", "x", record.secret_hash.slice(1), `${record.secret_hash}=`, "f".repeat(64)].map((S) => ({ S }));
const notAddresses = [
  "",
  "198.51.100.07",
  "198.51.100.7/32",
  "::ffff:198.51.100.7",
  "2001:DB8::1",
  "example.com",
  "::1%1",
].map((S) => ({ S }));

const notDismissed = [
  ...["", "null", "{}", "[]", "[1]", "[null]", JSON.stringify(dismissed), `${JSON.stringify([dismissed])},`],
  JSON.stringify(Array.from({ length: 21 }, () => dismissed)),
  ...[
    { ip: "2001:DB8::1" },
    { ip: "" },
    { ip: 1 },
    { ip: undefined },
    { dismissed_at: "2020-01-01" },
    { dismissed_by: 1 },
  ].map((change) => JSON.stringify([dismissed, { ...dismissed, ...change }])),
  JSON.stringify([{ ...dismissed, note: "x" }]),
].map((S) => ({ S }));

const notRequests = [
  ...["", "null", "{}", "[]", "1", JSON.stringify([asked]), `${JSON.stringify(asked)},`],
  ...[
    ...[{ ip: "2001:DB8::1" }, { ip: undefined }, { code: "K7P4XQ" }, { code: "K7P-4XO" }, { code: 1 }],
    ...[{ requested_at: "2020-01-01" }, { first_at: undefined }, { attempts: 0 }, { attempts: 11 }, { attempts: "1" }],
    ...[
      { decision: "confirmed" },
      { decided_by: "admin" },
      { decision: "perhaps", decided_at: inMs(0), decided_by: "" },
    ],
    ...[{ note: "x" }, { toString: 1 }],
  ].map((change) => JSON.stringify({ ...asked, ...change })),
  JSON.stringify({ ...request, decided_at: "2020-01-01" }),
].map((S) => ({ S }));

const ofFormat = (name: string, { kind }: Format): unknown[] => {
  if (kind === "time") return notTimes;
  if (kind === "number") return notNumbers;
  if (name.endsWith("_id") && name !== "key_id") return [...notIds, { N: "1" }];
  if (name.endsWith("_hash")) return [...notHashes, { N: "1" }];
  if (name === "dismissed_addresses") return [...notDismissed, { N: "1" }];
  if (name === "request") return [...notRequests, { N: "1" }];
  if (name === "repeat_nonce")
    return ["", "x", "A".repeat(21), "A".repeat(23), `${"A".repeat(21)}B`].map((S) => ({ S }));
  if (name === "ip") return [...notAddresses, { N: "1" }];
  if (name === "v_code") return ["", "v".repeat(63), "v".repeat(65), "😀".repeat(32)].map((S) => ({ S }));
  return [{ N: "1" }];
};

const damages = (fields: Readonly<Record<string, Format>>): [string, unknown][] =>
  Object.entries(fields).flatMap(([name, format]) =>
    [...Object.values(noField), ...ofFormat(name, format)].map((form): [string, unknown] => [name, form]),
  );

let stub: DynamoDBStub;
let stored: { token: object; key: object };

beforeEach(async () => {
  stored = { token, key };
  stub = await startDynamoDBStub(({ operation, body }) => {
    if (body.includes('"Tokens"')) return { body: { Item: stored.token } };
    return { body: operation === "Scan" ? { Items: [stored.key], Count: 1, ScannedCount: 1 } : { Item: stored.key } };
  });
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.endpoint);
  vi.stubEnv("AWS_REGION", "us-east-1");
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "test");
  for (const name of ["TOKENS", "KEYS", "LIMITS"])
    vi.stubEnv(`${name}_TABLE`, `${name[0]}${name.slice(1).toLowerCase()}`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await stub.close();
});

const environment = (endpoint: Parameters<typeof serveEndpoint>[0]) =>
  serveEndpoint(endpoint, { version: "v1", tables });

const call = async (handler: ReturnType<typeof environment>) => {
  const log = captureLog();
  const event = apiEvent({
    headers: { accept: "application/json", "x-token": text },
    pathParameters: { key_id: "1" },
    sourceIp: record.ip,
  });
  const { statusCode, body = "" } = await handler(event, lambdaContext);
  return { statusCode, body, log: log.text() };
};

describe("a token with a damaged field admits nobody:", () => {
  test.for(damages(tables.tokens.fields))("%s is %j", async ([name, form]) => {
    stored = { ...stored, token: { ...token, [name]: form } };
    const { statusCode, log } = await call(environment(getToken));
    expect(statusCode).toBe(503);
    if (name !== "token_id") expect(log).toContain(record.token_id);
    // A record with another id is not the requested record.
    expect(log).toContain(name === "token_id" ? "another item" : `The item's ${name} is not `);
    expect(log).not.toContain(record.secret_hash);
  });

  test("every field is damaged, and the whole token is valid", async () => {
    expect(Object.keys(token).toSorted()).toEqual(
      Object.keys(tables.tokens.fields)
        .filter((name) => !name.startsWith("revoked_"))
        .toSorted(),
    );
    stored = { ...stored, token: { ...token, rate_limit: undefined } };
    expect((await call(environment(getToken))).statusCode).toBe(200);
  });
});

describe("a key with a damaged field is not returned:", () => {
  const unlimited = { ...token, rate_limit: undefined };

  test.for(damages(tables.keys.fields))("%s is %j", async ([name, form]) => {
    stored = { token: unlimited, key: { ...key, [name]: form } };
    for (const endpoint of [getKey, listKeys]) {
      const { statusCode, body, log } = await call(environment(endpoint));
      expect(statusCode).toBe(503);
      expect(log).toMatch(name === "key_id" ? /another item|The item's key_id is not / : `The item's ${name} is not `);
      expect(body + log).not.toContain("v".repeat(63));
    }
  });
});
