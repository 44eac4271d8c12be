import { afterAll, beforeAll, expect, test } from "vitest";
import { startService, type TestService } from "../support/service.ts";
import { readTemplate, statementsOf } from "../support/template.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const tableOf = (resource: unknown): string =>
  /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(JSON.stringify(resource))?.[1] ?? "";

test("no function has a right that it does not use, and none lacks one that it needs", async () => {
  // Each with a token of its own: the first use of one is recorded. It has a limit, or none would be counted.
  const call = async (method: string, path: string, form?: Record<string, string>) => {
    const token = await service.issueToken("127.0.0.1", { rate_limit: 100 });
    return (await service.call(method, path, { token, ...(form && { form }) })).status;
  };
  const key = { key_id: "1", v_code: "v".repeat(64) };
  const replacement = { v_code: "w".repeat(64) };
  expect([
    await call("POST", "/api/v1/key", key),
    await call("GET", "/api/v1/key"),
    await call("GET", "/api/v1/key/1"),
    await call("PUT", "/api/v1/key/1", replacement),
    await call("DELETE", "/api/v1/key/1"),
    await call("GET", "/api/v1/token"),
    await call("GET", "/api/v1/nowhere"),
  ]).toEqual([201, 200, 200, 200, 204, 200, 404]);

  const { token_id } = await service.admin({ action: "issue", ip: "127.0.0.2" });
  const { token_id: usedTokenId, token } = await service.admin({ action: "issue", ip: "127.0.0.1" });
  await service.call("GET", "/api/v1/token", { token: String(token) });
  await service.admin({ action: "get", token_id });
  await service.admin({ action: "list" });
  await service.admin({ action: "update", token_id, rate_limit: 60 });
  await service.admin({ action: "leaks" });
  await service.admin({ action: "rotate", token_id, grace_seconds: 60 });
  await service.admin({ action: "revoke", token_id });
  await service.admin({ action: "create_key", ...key });
  await service.admin({ action: "list_keys" });
  await service.admin({ action: "get_key", key_id: key.key_id });
  await service.admin({ action: "replace_key", key_id: key.key_id, ...replacement });
  await service.admin({ action: "delete_key", key_id: key.key_id });

  const counted = async () => (await service.admin({ action: "usage", token_id: usedTokenId })).hours;
  await expect.poll(counted).not.toEqual([]);

  const used = (await service.usedRights()).map(
    ({ functionName, action, resource }) => `${functionName} ${action} ${resource.split("/").at(-1)}`,
  );
  const granted = statementsOf(await readTemplate()).flatMap(({ functionName, actions, resource }) =>
    actions
      .filter((action) => action.startsWith("dynamodb:"))
      .map((action) => `${functionName} ${action} ${tableOf(resource)}`),
  );
  expect(used.toSorted()).toEqual(granted.toSorted());
});
