import { describe, expect, test } from "vitest";
import { dismissLeak } from "../../../../lambdas/admin/tokens/dismiss-leak.ts";
import { authenticate } from "../../../../lambdas/resources/tokens/authenticate.ts";
import { dismissedIn, maxDismissedAddresses } from "../../../../lambdas/resources/tokens/dismissed-addresses.ts";
import type { TokenStore } from "../../../../lambdas/resources/tokens/token-store.ts";
import { inMs, newToken } from "../../../../tools/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import { useAdmin } from "../../support/admin.ts";
import { apiErrorOf } from "../../support/rejection.ts";

const admin = useAdmin();
const dismiss = (fields: object) => admin.act({ action: "dismiss_leak", ...fields }, "dismiss-1");
const restore = (fields: object) => admin.act({ action: "restore_leak", ...fields }, "restore-1");
const ip = "203.0.113.9";

describe("dismissing a leak", () => {
  test("records the address in its canonical form, with who did it and when, once", async () => {
    const { token_id } = await admin.stored();
    const from = inMs(0);
    const answer = await dismiss({ token_id, ip: "2001:DB8:0::1" });
    const { updated_at } = answer;
    const entry = { ip: "2001:db8::1", dismissed_at: expect.any(String), dismissed_by: "invoke:dismiss-1" };
    expect(answer).toMatchObject({ dismissed_addresses: [entry], updated_by: "invoke:dismiss-1" });
    expect(from <= String(updated_at) && String(updated_at) <= inMs(0)).toBe(true);
    expect(await dismiss({ token_id, ip: "2001:db8::1" })).toEqual(answer);
    expect(await admin.act({ action: "get", token_id })).toEqual(answer);
  });

  test("goes on for the successors of the token", async () => {
    const { token_id } = await admin.stored();
    const { dismissed_addresses } = await dismiss({ token_id, ip });
    const successor = await admin.act({ action: "rotate", token_id, grace_seconds: 0 });
    expect(successor).toMatchObject({ dismissed_addresses });
  });

  test("is undone by restoring it, which needs no dismissed address", async () => {
    const { token_id } = await admin.stored();
    const before = await admin.act({ action: "get", token_id });
    expect(await restore({ token_id, ip })).toEqual(before);
    await dismiss({ token_id, ip });
    await dismiss({ token_id, ip: "203.0.113.10" });
    expect(await restore({ token_id, ip })).toMatchObject({
      dismissed_addresses: [{ ip: "203.0.113.10" }],
      updated_by: "invoke:restore-1",
    });
    expect(await restore({ token_id, ip: "203.0.113.10" })).toMatchObject({ dismissed_addresses: [] });
    expect(await admin.store().find(token_id)).not.toHaveProperty("dismissed_addresses");
  });

  test("works for as many addresses as a record has room for", async () => {
    const { token_id } = await admin.stored();
    for (let n = 1; n <= maxDismissedAddresses; n += 1) await dismiss({ token_id, ip: `203.0.113.${n}` });
    const error = await apiErrorOf(dismiss({ token_id, ip: "198.51.100.1" }));
    expect(error).toMatchObject({
      code: "validation_failed",
      message: expect.stringMatching(/^The ip cannot be dismissed/),
    });
    expect(await dismiss({ token_id, ip: "203.0.113.1" })).toMatchObject({ state: "active" });
  });

  test("at the same time as others dismisses all of them or says that it did not", async () => {
    const { token_id } = await admin.stored();
    const addresses = ["203.0.113.1", "203.0.113.2", "203.0.113.3"];
    const outcomes = await Promise.allSettled(addresses.map((address) => dismiss({ token_id, ip: address })));
    const done = addresses.filter((_, index) => outcomes[index]?.status === "fulfilled");
    const record = await admin.store().find(token_id);
    expect(
      dismissedIn(record ?? {})
        .map((address) => address.ip)
        .toSorted(),
    ).toEqual(done);
    expect(done.length).toBeGreaterThan(0);
  });

  test("never loses what another admin dismissed meanwhile", async () => {
    const { token_id } = await admin.stored();
    const tokens = admin.store();
    let isFirst = true;
    const raced: TokenStore["update"] = async (...change) => {
      if (isFirst) {
        isFirst = false;
        await dismiss({ token_id, ip: "203.0.113.1" });
      }
      return tokens.update(...change);
    };
    const stores = { tokens: { ...tokens, update: raced } };
    const answer = await dismissLeak.run({ token_id, ip }, { author: { ...author, by: "alice" }, stores });
    expect(answer.dismissed_addresses.map((address) => address.ip)).toEqual(["203.0.113.1", ip]);
  });
});

describe("a call with the correct secret from a wrong address", () => {
  const refusalFrom = async (sourceIp: string, dismissed: string[]) => {
    const { record, text } = newToken({ ip: "198.51.100.7" });
    const entries = dismissed.map((address) => ({ ip: address, dismissed_at: inMs(0), dismissed_by: "alice" }));
    const found = { ...record, ...(dismissed.length > 0 && { dismissed_addresses: JSON.stringify(entries) }) };
    return apiErrorOf(authenticate({ tokenText: text, sourceIp, requestId: "request" }, { find: async () => found }));
  };

  test("is a leak signal unless the address was dismissed, and is refused in any case", async () => {
    expect(await refusalFrom(ip, [])).toMatchObject({
      code: "ip_not_allowed",
      facts: { leak_signal: expect.any(String) },
    });
    expect(await refusalFrom(ip, ["203.0.113.1"])).toMatchObject({ facts: { leak_signal: expect.any(String) } });

    const refusal = await refusalFrom(`::ffff:${ip}`, ["203.0.113.1", ip]);
    expect(refusal).toMatchObject({ code: "ip_not_allowed", facts: { dismissed_address: expect.any(String) } });
    expect(refusal.facts).not.toHaveProperty("leak_signal");
  });
});
