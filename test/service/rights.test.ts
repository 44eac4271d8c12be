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
  const form = { key_id: "1", v_code: "v".repeat(64) };
  const statuses = [
    await service.call("POST", "/api/v1/key", { form }),
    await service.call("GET", "/api/v1/key"),
    await service.call("GET", "/api/v1/key/1"),
    await service.call("PUT", "/api/v1/key/1", { form: { v_code: "w".repeat(64) } }),
    await service.call("DELETE", "/api/v1/key/1"),
    await service.call("GET", "/api/v1/token"),
    await service.call("GET", "/api/v1/nowhere"),
  ].map(({ status }) => status);
  expect(statuses).toEqual([201, 200, 200, 200, 204, 200, 404]);

  const { token_id } = await service.admin({ action: "issue", ip: "127.0.0.2" });
  await service.admin({ action: "get", token_id });
  await service.admin({ action: "list" });
  await service.admin({ action: "rotate", token_id, grace_seconds: 60 });
  await service.admin({ action: "revoke", token_id });

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
