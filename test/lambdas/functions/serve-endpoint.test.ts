import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { api } from "../../../lambdas/api.ts";
import type { Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { operationsOf } from "../../../lambdas/declaration/operations.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { toItem } from "../../../lambdas/dynamodb/records.ts";
import { ApiError, ValidationError } from "../../../lambdas/errors/api-error.ts";
import { serveEndpoint } from "../../../lambdas/functions/serve-endpoint.ts";
import type { ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { tables } from "../../../lambdas/resources/stores.ts";
import * as declaredTables from "../../../lambdas/resources/tables.ts";
import { type Phase, phases } from "../../../lambdas/resources/tokens/token-state.ts";
import type { TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";
import { formatTokenText, generateTokenText, hashSecret } from "../../../lambdas/resources/tokens/token-text.ts";
import { createKey } from "../../../lambdas/v1/create-key.ts";
import { getKey } from "../../../lambdas/v1/get-key.ts";
import { listKeys } from "../../../lambdas/v1/list-keys.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { inMs, newToken } from "../../../tools/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { captureLog } from "../support/captured-log.ts";
import { type TestTable, useDatabase } from "../support/database.ts";
import { recordIn } from "../support/token-store.ts";

const database = useDatabase();
const ip = "198.51.100.7";
const token = newToken({ ip });
let keysTable: TestTable;
let tokenStore: TokenStore;
const secretOf = (text: string) => text.slice(31);

beforeAll(async () => {
  const tokens = await database.newTable("token_id");
  vi.stubEnv("TOKENS_TABLE", tokens.table);
  keysTable = await database.newTable("key_id");
  vi.stubEnv("KEYS_TABLE", keysTable.table);
  vi.stubEnv("LIMITS_TABLE", (await database.newTable("minute_id")).table);
  tokenStore = openStore(declaredTables.tokens, { client: tokens.client, tableName: tokens.table });
  await tokenStore.insert(token.record, noteOf("issued"));
});

interface Post {
  body?: string;
  contentType?: string;
  tokenText?: string;
  sourceIp?: string;
  accept?: string;
}

const post = async ({
  body = "",
  contentType = "application/x-www-form-urlencoded",
  tokenText = token.text,
  sourceIp = "198.51.100.7",
  accept = "application/json",
}: Post) => {
  const log = captureLog();
  const handler = serveEndpoint(createKey, { version: "v1", tables });
  const headers = { accept, "content-type": contentType, "x-token": tokenText };
  const response = await handler(
    apiEvent({
      method: "POST",
      routeKey: "POST /api/v1/key",
      rawQueryString: "q=query-secret",
      headers,
      body,
      sourceIp,
    }),
    lambdaContext,
  );
  return { ...response, log };
};

const vCode = "v-code-secret".padEnd(64, "x");
const pair = (key_id: string, v_code = vCode) => new URLSearchParams({ key_id, v_code }).toString();

describe("an endpoint", () => {
  test("returns its handler's result, with the path of the resource in its version", async () => {
    const { statusCode, headers, body } = await post({ body: pair("a/b ü") });
    expect(statusCode).toBe(201);
    expect(headers).toMatchObject({
      "Content-Type": "application/json",
      Location: "/api/v1/key/a%2Fb%20%C3%BC",
    });
    expect(JSON.parse(String(body))).toMatchObject({ key_id: "a/b ü", v_code: vCode });
  });

  test("links to the next page with the rest of the query as it was", async () => {
    for (const key_id of ["one", "two", "three"]) await post({ body: pair(key_id) });
    const handler = serveEndpoint(listKeys, { version: "v1", tables });
    const seen: unknown[] = [];
    let query: string | undefined = "limit=1&x=%26";
    while (query !== undefined) {
      const url = new URLSearchParams(query);
      const response: ApiResponse = await handler(
        apiEvent({
          rawQueryString: query,
          // API Gateway joins repeated parameters with commas.
          queryStringParameters: Object.fromEntries([...url.keys()].map((name) => [name, url.getAll(name).join(",")])),
          headers: { accept: "application/json", "x-token": token.text },
        }),
        lambdaContext,
      );
      const page: unknown[] = JSON.parse(String(response.body));
      expect(page.length).toBeLessThanOrEqual(1);
      expect(url.get("x")).toBe("&");
      seen.push(...page);
      query = /^<\/api\/v1\/key\?(.*)>; rel="next"$/.exec(String(response.headers?.Link ?? ""))?.[1];
    }
    expect(seen).toEqual(expect.arrayContaining([expect.objectContaining({ key_id: "three" })]));
    expect(new Set(seen.map((key) => JSON.stringify(key))).size).toBe(seen.length);
  });
});

test("a link to the next page omits parameters that would make it too long to send", async () => {
  for (const key_id of ["one", "two"]) await post({ body: pair(key_id) });
  const rawQueryString = `limit=1&x=${"<".repeat(9_000)}`;
  const response: ApiResponse = await serveEndpoint(listKeys, { version: "v1", tables })(
    apiEvent({
      rawQueryString,
      queryStringParameters: { limit: "1" },
      headers: { accept: "application/json", "x-token": token.text },
    }),
    lambdaContext,
  );
  expect(response.headers?.Link).toMatch(/^<\/api\/v1\/key\?limit=1&cursor=\w+>; rel="next"$/);
});

describe("only a credential that works, from its own address, is counted against its limit:", () => {
  const kindOf = ({ credential }: Endpoint) => (credential === "invitation" ? "invitation" : "token");
  const working: Record<ReturnType<typeof kindOf>, readonly string[]> = {
    token: ["active", "moving", "move_confirmed", "rotated"],
    invitation: ["invited", "awaiting_confirmation"],
  };

  /** A text whose token is in this phase, or a used invitation. */
  const textIn = async (phase: Phase, kind: ReturnType<typeof kindOf>) => {
    const { token_id, secret } = generateTokenText();
    const isUsed = kind === "invitation" && !working.invitation.includes(phase);
    await tokenStore.insert(
      {
        ...recordIn(phase),
        ...{ token_id, ip, rate_limit: 1_000, secret_hash: hashSecret(secret) },
        ...(kind === "invitation" && { invitation_hash: hashSecret(secret) }),
        ...(isUsed && { redeemed_at: inMs(-1) }),
      },
      noteOf("issued"),
    );
    return formatTokenText({ token_id, secret }, kind);
  };

  test.for(operationsOf(api))("$operationId", async ({ endpoint }) => {
    captureLog();
    const kind = kindOf(endpoint);
    const serve = serveEndpoint({ ...endpoint, handler: async () => ({ status: 204 }) }, { version: "v1", tables });
    const counted: string[] = [];
    for (const phase of Object.keys(phases) as Phase[]) {
      const text = await textIn(phase, kind);
      for (const sourceIp of [ip, "203.0.113.9"]) {
        const { headers } = await serve(
          apiEvent({ headers: { accept: "application/json", "x-token": text }, sourceIp }),
          lambdaContext,
        );
        if (headers?.RateLimit !== undefined) counted.push(`${phase} ${sourceIp}`);
      }
    }
    expect(counted.toSorted()).toEqual(working[kind].map((phase) => `${phase} ${ip}`).toSorted());
  });
});

describe("a request is checked in the order of the contract:", () => {
  const wrongToken = newToken().text;
  test.for<[string, Post, number]>([
    ["Accept before token", { accept: "*/*", tokenText: "wrong", body: "%" }, 302],
    ["token before address", { tokenText: wrongToken, sourceIp: "203.0.113.9", contentType: "text/plain" }, 401],
    ["address before content type", { sourceIp: "203.0.113.9", contentType: "text/plain", body: "%" }, 403],
    ["content type before size", { contentType: "text/plain", body: "x".repeat(20_000) }, 415],
    ["size before encoding", { body: "%".repeat(20_000) }, 413],
    ["encoding before validation", { body: "key_id=%&v_code=short" }, 400],
    ["validation before work", { body: pair("a/b ü", "short") }, 422],
  ])("%s", async ([, request, status]) => {
    expect((await post(request)).statusCode).toBe(status);
  });
});

describe("the log line of a request", () => {
  test.for<[string, Post, object]>([
    ["created", { body: pair("logged") }, { level: "INFO", status: 201, token_id: token.record.token_id }],
    ["taken", { body: pair("logged", vCode.toUpperCase()) }, { level: "INFO", status: 422, code: "validation_failed" }],
    ["invalid", { body: pair("logged", "v-code-secret") }, { level: "INFO", status: 422, code: "validation_failed" }],
    ["malformed", { body: `${pair("logged")}%` }, { level: "INFO", status: 400, code: "malformed_form" }],
    ["wrong token", { tokenText: newToken().text }, { level: "INFO", status: 401, code: "token_invalid" }],
    [
      "wrong address",
      { sourceIp: "203.0.113.9" },
      {
        level: "WARN",
        status: 403,
        code: "ip_not_allowed",
        token_id: token.record.token_id,
        source_ip: "203.0.113.9",
        leak_signal: "right secret, wrong address",
      },
    ],
  ])("contains the outcome and no secret: %s", async ([, request, expected]) => {
    const { log } = await post(request);
    expect(log.lines()).toEqual([
      expect.objectContaining({ request_id: "request-1", route: "POST /api/v1/key", ...expected }),
    ]);
    expect(log.text()).not.toMatch(/v-code-secret|query-secret/i);
    expect(log.text()).not.toContain(secretOf(request.tokenText ?? token.text));
    expect(log.text()).not.toContain(token.record.secret_hash);
  });
});

describe("what an endpoint does not declare never reaches a client:", () => {
  const send = async (endpoint: Endpoint, pathParameters = {}) => {
    const log = captureLog();
    const response: ApiResponse = await serveEndpoint(endpoint, { version: "v1", tables })(
      apiEvent({ pathParameters, headers: { accept: "application/json", "x-token": token.text } }),
      lambdaContext,
    );
    return { ...response, body: JSON.parse(String(response.body)), log };
  };

  test("an attribute of the record", async () => {
    const { client, table: TableName } = keysTable;
    const Item = {
      ...toItem({ ...tables.keys.example, key_id: "noted" }),
      internal_note: { S: "not for clients" },
    };
    await client.send(new PutItemCommand({ TableName, Item }));

    expect((await send(getKey, { key_id: "noted" })).body).toEqual({ ...tables.keys.example, key_id: "noted" });
    expect((await send(listKeys)).body).not.toContainEqual(
      expect.objectContaining({ internal_note: expect.anything() }),
    );
  });

  test("a field of the handler's answer", async () => {
    const handler = async () => ({ status: 200, body: { ...tables.keys.example, internal_note: "not for clients" } });

    expect((await send({ ...getKey, handler }, { key_id: "1" })).body).toEqual(tables.keys.example);
  });

  test.for([new ApiError("token_not_found"), new ValidationError({ key_id: ["No."] }), new Error("broken")])(
    "an error, which is a 500 with its cause in the log: $name",
    async (error) => {
      const handler = async () => {
        throw error;
      };
      const { statusCode, body, log } = await send({ ...getKey, handler }, { key_id: "1" });

      expect({ statusCode, body }).toMatchObject({ statusCode: 500, body: { code: "internal_error" } });
      expect(log.lines()).toEqual([
        expect.objectContaining({
          status: 500,
          cause: expect.stringContaining(String(error.stack).split("\n")[0] ?? ""),
        }),
      ]);
    },
  );
});

test("a function without the name of its table fails when it starts, with the name of the variable", () => {
  vi.stubEnv("KEYS_TABLE", "");
  expect(() => serveEndpoint(createKey, { version: "v1", tables })).toThrow("KEYS_TABLE");
});
