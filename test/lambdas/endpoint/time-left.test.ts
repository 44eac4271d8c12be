import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { FunctionKind } from "../../../infra/stages/stage.ts";
import * as actions from "../../../lambdas/admin/actions.ts";
import { serveAdmin } from "../../../lambdas/admin/serve-admin.ts";
import { serveAdminHttp } from "../../../lambdas/admin/serve-admin-http.ts";
import { storeNames, tables } from "../../../lambdas/domain/built-in-stores.ts";
import { tableVariable } from "../../../lambdas/dynamodb/uses.ts";
import { serveEndpoint } from "../../../lambdas/endpoint/serve-endpoint.ts";
import { serveNotices } from "../../../lambdas/notices/serve-notices.ts";
import { serveUsage } from "../../../lambdas/usage/serve-usage.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { newToken } from "../../kit/support/tokens.ts";
import { startTestUserPool } from "../../kit/support/user-pool.ts";
import { type DynamoDBStub, startDynamoDBStub } from "../../support/aws-stub.ts";
import { logDelivery, requestEvent } from "../support/events.ts";
import { captureLog } from "../support/outcomes.ts";

let stub: DynamoDBStub;
let pool: Awaited<ReturnType<typeof startTestUserPool>>;
beforeAll(async () => {
  pool = await startTestUserPool();
  stub = await startDynamoDBStub(() => ({ body: { Items: [] } }));
  for (const name of ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "test");
  for (const name of storeNames) vi.stubEnv(tableVariable(name), name);
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", stub.url);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  pool.close();
  await stub.close();
});

type Invocation = (context: typeof lambdaContext) => Promise<unknown>;

const claims = { token_use: "access", client_id: "web", username: "alice", "cognito:groups": ["Admin"] };
const list = "GET /admin/tokens";

/** An invocation of each kind of function that uses tables. */
const invocations: Record<Exclude<FunctionKind, "site" | "fallback" | "check">, Invocation> = {
  endpoint: (context) => {
    const headers = { accept: "application/json", "x-token": newToken().text };
    return serveEndpoint(getToken, { version: "v1", tables })(apiEvent({ headers }), context);
  },
  admin: (context) => serveAdmin(actions)({ action: "list" }, context),
  "admin-http": async (context) => {
    const authorization = `Bearer ${await pool.sign(claims)}`;
    const event = apiEvent({ routeKey: list, rawPath: "/admin/tokens", headers: { authorization } });
    return serveAdminHttp(actions, { issuer: pool.issuer, clientId: "web" })(event, context);
  },
  usage: (context) =>
    serveUsage({ senders: [] })(
      logDelivery([requestEvent("2026-11-21T15:00:00.000Z", { token_id: newToken().record.token_id, status: 200 })]),
      context,
    ),
  notices: (context) => serveNotices({ senders: [] })({ task: "again" }, context),
};

test.each(Object.entries(invocations))("%s calls the database only if it has time left", async (_, invoke) => {
  captureLog();
  const requestsWithin = async (milliseconds: number): Promise<number> => {
    const before = stub.requests.length;
    await invoke({ ...lambdaContext, getRemainingTimeInMillis: () => milliseconds }).catch(() => {});
    return stub.requests.length - before;
  };
  expect(await requestsWithin(1_000)).toBe(0);
  expect(await requestsWithin(10_000)).toBeGreaterThan(0);
});
