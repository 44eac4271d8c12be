import { describe, expect, test } from "vitest";
import { planFor } from "../../../../../../web/pages/api-settings/list/several/several-plan.ts";
import { exampleToken } from "../example-token.ts";

const now = Date.parse("2026-11-21T12:00:00.000Z");

const active = exampleToken({ comment: "active", last_used_at: "2026-11-20T12:00:00.000Z" });
const idle = exampleToken({ comment: "idle", last_used_at: "2026-11-01T12:00:00.000Z" });
const rotated = exampleToken({
  comment: "rotated",
  successor_id: "01M7ZZZZZZ0000000000000001",
  expires_at: "2026-11-22T12:00:00.000Z",
});
const expired = exampleToken({ comment: "expired", expires_at: "2026-11-21T11:59:59.000Z" });
const revoked = exampleToken({ comment: "revoked", state: "revoked" });
const invited = exampleToken({
  comment: "invited",
  ip: null,
  state: "invited",
  invitation: { expires_at: "2026-11-22T12:00:00.000Z", redeemed_at: null },
});
const selected = [active, idle, rotated, expired, revoked];

describe("the plan for several tokens", () => {
  test("revokes what is live, rotated tokens too, and says why it skips the others", () => {
    expect(planFor("revoke", selected, now)).toEqual({
      tokens: [active, idle, rotated],
      skipped: [
        { token: expired, reason: "It has expired." },
        { token: revoked, reason: "It was revoked." },
      ],
      inUseCount: 1,
    });
  });

  test("gives no rotated token another expiry", () => {
    const { tokens, skipped } = planFor("expiry", selected, now);
    expect(tokens).toEqual([active, idle]);
    expect(skipped[0]).toEqual({
      token: rotated,
      reason: "It was rotated: its grace period decides when it ends.",
    });
  });

  test("revokes invitations, and gives none another expiry before it is redeemed", () => {
    expect(planFor("revoke", [invited], now).tokens).toEqual([invited]);
    expect(planFor("expiry", [invited], now).skipped).toEqual([
      { token: invited, reason: "Its invitation has not been redeemed yet." },
    ]);
  });
});
