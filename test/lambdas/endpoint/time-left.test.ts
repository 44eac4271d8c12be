import { afterAll, expect, test } from "vitest";
import * as z from "zod/mini";
import type { FunctionKind } from "../../../infra/stages/stage.ts";
import * as actions from "../../../lambdas/admin/actions.ts";
import { serveAdmin } from "../../../lambdas/admin/serve-admin.ts";
import { serveAdminHttp } from "../../../lambdas/admin/serve-admin-http.ts";
import { jobsWith } from "../../../lambdas/declaration/job.ts";
import { tables } from "../../../lambdas/domain/built-in-stores.ts";
import { responseRenderer } from "../../../lambdas/endpoint/render-full-response.ts";
import { serveEndpoint } from "../../../lambdas/endpoint/serve-endpoint.ts";
import { serveJob } from "../../../lambdas/job/serve-job.ts";
import { readForm } from "../../../lambdas/middlewares/read-form.ts";
import { serveNotices } from "../../../lambdas/notices/serve-notices.ts";
import { serveUsage } from "../../../lambdas/usage/serve-usage.ts";
import { getToken } from "../../../lambdas/v1/get-token.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { absentId, newToken } from "../../kit/support/tokens.ts";
import { startTestUserPool } from "../../kit/support/user-pool.ts";
import { useDynamoDBStub } from "../support/dynamodb-stub.ts";
import { logDelivery, requestEvent } from "../support/events.ts";
import { captureLog } from "../support/outcomes.ts";

const stub = useDynamoDBStub(() => ({ body: { Items: [] } }));
const pool = await startTestUserPool();
afterAll(() => pool.close());

type Invocation = (context: typeof lambdaContext) => Promise<unknown>;

const claims = { token_use: "access", client_id: "web", username: "alice", "cognito:groups": ["Admin"] };
const list = "GET /admin/tokens";

/** An invocation of each kind of function that uses tables. */
const invocations: Record<Exclude<FunctionKind, "site" | "fallback" | "check">, Invocation> = {
  endpoint: (context) => {
    const headers = { accept: "application/json", "x-token": newToken().text };
    return serveEndpoint(getToken, { tables, realm: "", readBody: readForm, render: responseRenderer(getToken, "v1") })(
      apiEvent({ headers }),
      context,
    );
  },
  job: (context) => {
    const job = jobsWith({ tables: {}, errors: {} })({
      summary: "Reads a key",
      event: z.object({}),
      uses: { keys: ["get"] },
      handler: async (_, { keys }) => void (await keys.get("1")),
    });
    return serveJob(job, { tables })({}, context);
  },
  admin: (context) => serveAdmin(actions)({ action: "list" }, context),
  "admin-http": async (context) => {
    const authorization = `Bearer ${await pool.sign(claims)}`;
    const event = apiEvent({ routeKey: list, rawPath: "/admin/tokens", headers: { authorization } });
    return serveAdminHttp(actions, { issuer: pool.issuer, clientId: "web" })(event, context);
  },
  usage: (context) => {
    const call = requestEvent("2026-11-21T15:00:00.000Z", { token_id: absentId(), status: 200 });
    return serveUsage({ senders: [] })(logDelivery([call]), context);
  },
  notices: (context) => serveNotices({ senders: [] })({ task: "again" }, context),
};

test.each(Object.entries(invocations))("%s calls the database only if it has time left", async (_, invoke) => {
  captureLog();
  const invokeWith = (milliseconds: number) =>
    invoke({ ...lambdaContext, getRemainingTimeInMillis: () => milliseconds }).catch(() => {});
  await invokeWith(1_000);
  expect(stub().requests).toEqual([]);
  await invokeWith(10_000);
  expect(stub().requests).not.toEqual([]);
});
