import { describe, expect, test } from "vitest";
import type { Token, Usage } from "../../../../../web/api/types.ts";
import { leakSources, leakWarning } from "../../../../../web/pages/api-settings/usage/leak-sources.ts";

const at = (minute: number) => `2026-11-21T12:${String(minute).padStart(2, "0")}:00.000Z`;

const calls = (source_ip: string, minute: number, calls = 1) => ({
  ...{ source_ip, calls, first_at: at(minute), last_at: at(minute) },
});

const refusal = (source_ip: string, minute: number, leak = true) => ({
  ...{ time: at(minute), code: "ip_not_allowed", status: 403, route: "GET /api/v1/key", source_ip, leak },
});

const token = (...dismissed: [ip: string, minute: number][]): Token => ({
  ...{ token_id: "01J00000000000000000000000", ip: "198.51.100.7", comment: "", state: "active", rate_limit: null },
  ...{ issued_at: at(0), issued_by: "admin", expires_at: null, updated_at: null, updated_by: null },
  ...{ predecessor_id: null, rotated_at: null, rotated_by: null, successor_id: null },
  ...{ revoked_at: null, revoked_by: null, last_used_at: null },
  ...{ invitation: null, request: null },
  dismissed_addresses: dismissed.map(([ip, minute]) => ({ ip, dismissed_at: at(minute), dismissed_by: "alice" })),
});

const usage = (
  addresses: Usage["leaks"]["addresses"],
  { refusals = [], unlisted_calls = 0 }: { refusals?: Usage["refusals"]; unlisted_calls?: number } = {},
): Usage => ({
  ...{ token_id: "01J00000000000000000000000", from: at(0), log_level: "info", hours: [], refusals },
  ...{ leaks: { addresses, unlisted_calls }, first_used_at: null, last_used_at: null, rotation: null },
});

describe("the wrong addresses of a token", () => {
  test("are those with calls and those that are dismissed, each once", () => {
    const sources = leakSources(token(["192.0.2.1", 5], ["192.0.2.9", 6]), usage([calls("192.0.2.1", 4)]));
    expect(sources.map(({ ip, calls, dismissal }) => [ip, calls?.calls, dismissal?.dismissed_by])).toEqual([
      ["192.0.2.1", 1, "alice"],
      ["192.0.2.9", undefined, "alice"],
    ]);
  });
});

describe("a warning", () => {
  test("is about all addresses that are not dismissed, with the sum of their calls", () => {
    const addresses = [calls("192.0.2.3", 9, 2), calls("192.0.2.2", 8, 5), calls("192.0.2.1", 7)];
    expect(leakWarning(token(["192.0.2.2", 10]), usage(addresses))).toEqual({
      calls: 3,
      last: { ip: "192.0.2.3", time: at(9) },
      addresses: ["192.0.2.3", "192.0.2.1"],
      unlistedCalls: 0,
      cause: "token",
    });
  });

  test("is absent if nothing leaked, and if all addresses are dismissed, although calls from them go on", () => {
    expect(leakWarning(token(), usage([], { refusals: [refusal("192.0.2.1", 1, false)] }))).toBeUndefined();
    const refusals = [refusal("192.0.2.1", 30)];
    expect(leakWarning(token(["192.0.2.1", 5]), usage([calls("192.0.2.1", 30)], { refusals }))).toBeUndefined();
  });

  test("includes calls from addresses without room in the list until a later dismissal", () => {
    const both = { refusals: [refusal("192.0.2.77", 20)], unlisted_calls: 4 };
    expect(leakWarning(token(["192.0.2.1", 10]), usage([calls("192.0.2.1", 9)], both))).toEqual({
      calls: 4,
      last: { ip: "192.0.2.77", time: at(20) },
      addresses: [],
      unlistedCalls: 4,
      cause: "token",
    });
    expect(leakWarning(token(["192.0.2.1", 21]), usage([calls("192.0.2.1", 9)], both))).toBeUndefined();
  });

  test("says what was used: an invitation that is open, one that was redeemed, or a token, also besides one", () => {
    const from = [calls("192.0.2.1", 1)];
    const causeOf = (invitation: Token["invitation"], ...codes: string[]) => {
      const refusals = codes.map((code) => ({ ...refusal("192.0.2.1", 1), code }));
      return leakWarning({ ...token(), invitation }, usage(from, { refusals }))?.cause;
    };
    const redeemed = { expires_at: at(30), redeemed_at: at(0) };
    expect(causeOf({ ...redeemed, redeemed_at: null }, "ip_not_allowed")).toBe("invitation");
    expect(causeOf(redeemed, "invitation_used", "invitation_used")).toBe("used invitation");
    expect(causeOf(redeemed, "invitation_used", "ip_not_allowed")).toBe("token");
    expect(causeOf(redeemed, "request_rejected")).toBe("token");
    expect(causeOf(redeemed)).toBe("token");
  });
});
