import { expect, test } from "vitest";
import { maxDismissedAddresses } from "../../../../lambdas/domain/tokens/dismissed-addresses.ts";
import { inMs } from "../../../kit/support/tokens.ts";
import { useAdmin } from "../../support/admin.ts";
import { apiErrorOf } from "../../support/outcomes.ts";

const admin = useAdmin();
const dismiss = (token_id: string, ip: string) => admin.act({ action: "dismiss_leak", token_id, ip }, "dismiss-1");
const restore = (token_id: string, ip: string) => admin.act({ action: "restore_leak", token_id, ip }, "restore-1");
const [ip, other] = ["203.0.113.9", "203.0.113.10"];

test("dismissing a leak records the canonical address, the admin and the time once, also for successors", async () => {
  const { token_id } = await admin.stored();
  const from = inMs(0);
  const response = await dismiss(token_id, "2001:DB8:0::1");
  const entry = { ip: "2001:db8::1", dismissed_at: expect.any(String), dismissed_by: "invoke:dismiss-1" };
  expect(response).toMatchObject({ dismissed_addresses: [entry], updated_by: "invoke:dismiss-1" });
  expect(from <= String(response.updated_at) && String(response.updated_at) <= inMs(0)).toBe(true);
  expect(await dismiss(token_id, "2001:db8::1")).toEqual(response);
  expect(await admin.act({ action: "get", token_id })).toEqual(response);

  const { dismissed_addresses } = response;
  const successor = await admin.act({ action: "rotate", token_id, grace_seconds: 0 });
  expect(successor).toMatchObject({ dismissed_addresses });
});

test("restoring a leak undoes its dismissal, and requires a dismissed address", async () => {
  const { token_id } = await admin.stored();
  const before = await admin.act({ action: "get", token_id });
  expect(await restore(token_id, ip)).toEqual(before);
  for (const address of [ip, other]) await dismiss(token_id, address);
  const left = { dismissed_addresses: [{ ip: other }], updated_by: "invoke:restore-1" };
  expect(await restore(token_id, ip)).toMatchObject(left);
  expect(await restore(token_id, other)).toMatchObject({ dismissed_addresses: [] });
  expect(await admin.store().find(token_id)).not.toHaveProperty("dismissed_addresses");
});

test("a record accepts dismissed addresses up to its limit", async () => {
  const { token_id } = await admin.stored();
  for (let n = 1; n <= maxDismissedAddresses; n += 1) await dismiss(token_id, `203.0.113.${n}`);
  const message = expect.stringMatching(/^The ip cannot be dismissed/);
  expect(await apiErrorOf(dismiss(token_id, "198.51.100.1"))).toMatchObject({ code: "validation_failed", message });
  expect(await dismiss(token_id, "203.0.113.1")).toMatchObject({ state: "active" });
});
