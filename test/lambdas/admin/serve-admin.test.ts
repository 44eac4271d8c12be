import { expect, test, vi } from "vitest";
import { adminInvocation } from "../../../lambdas/admin/serve-admin.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { useAdmin } from "../support/admin.ts";

const admin = useAdmin();

const performed = async (payload: unknown) => {
  const perform = vi.fn(async (_: unknown) => undefined);
  await adminInvocation(perform)(payload, { ...lambdaContext, awsRequestId: "6f6b4c0a" });
  return perform.mock.lastCall?.[0];
};

test("the author of an invocation is its request id, with the name that the invoker supplies", async () => {
  const listed = { name: "list", fields: {}, actor: "invoke:6f6b4c0a", requestId: "6f6b4c0a" };
  expect(await performed({ action: "list" })).toEqual(listed);
  const named = { ...listed, actor: "invoke:6f6b4c0a:alice" };
  expect(await performed({ action: "list", invoked_by: "alice" })).toEqual(named);
});

test("never takes the author of an invocation from its payload", async () => {
  const forged = { actor: "alice", sourceIp: "203.0.113.9", requestId: "other", request_id: "other", author: {} };
  const author = { actor: "invoke:6f6b4c0a", requestId: "6f6b4c0a" };
  expect(await performed({ action: "list", ...forged })).toMatchObject({ ...author, fields: forged });
  await expect(admin.invoke({ action: "list", ...forged })).rejects.toMatchObject({ name: "validation_failed" });
});

test("rejects an event that looks like an HTTP request, even with an action, and changes nothing", async () => {
  const { token_id } = await admin.stored();
  const claims = { token_use: "access", username: "alice@example.com", "cognito:groups": "[Admin]" };
  const request = { method: "DELETE", routeKey: "DELETE /admin/tokens/{token_id+}", pathParameters: { token_id } };
  const event = apiEvent({ ...request, rawPath: `/admin/tokens/${token_id}`, claims, sourceIp: "203.0.113.99" });
  const { requestContext: _, ...partial } = event;
  for (const payload of [event, partial, { ...event, action: "revoke", token_id }, { ...event, action: "list" }])
    await expect(admin.invoke(payload)).rejects.toMatchObject({ name: "validation_failed" });
  expect(await admin.act({ action: "get", token_id })).toMatchObject({ state: "active", updated_by: null });
});
