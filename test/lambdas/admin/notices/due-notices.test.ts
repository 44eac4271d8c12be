import { expect, test } from "vitest";
import { dueNotices, dueTrustNotices } from "../../../../lambdas/admin/notices/due-notices.ts";
import { tokenResponse } from "../../../../lambdas/admin/tokens/token-response.ts";
import { trustResponse } from "../../../../lambdas/admin/trusts/trust-response.ts";
import { describeNotice, type Notice, noticeKinds } from "../../../../lambdas/domain/notices/notice.ts";
import type { TokenRecord } from "../../../../lambdas/domain/tokens/token-store.ts";
import { exampleTrust } from "../../../../lambdas/domain/tokens/tokens-table.ts";
import { absentId, dayMs, newInvitation, newToken, requestField } from "../../../kit/support/tokens.ts";

const now = new Date().toISOString();

/** Returns the time this many days from now. */
const inDays = (days: number): string => new Date(Date.parse(now) + days * dayMs).toISOString();

const noticesOf = (fields: Partial<TokenRecord>) => dueNotices(tokenResponse(newToken(fields).record), now);
/** Returns a notice with the days in its details, if any. */
const named = ({ kind, details }: Notice) => [kind, details.days].filter(Boolean).join(" ");
const dueOf = (fields: Partial<TokenRecord>) => noticesOf(fields).map(named);

const used = { issued_at: inDays(-300), last_used_at: inDays(-2) };
const rotated = { successor_id: absentId(), rotated_at: inDays(-3), last_used_at: inDays(-1) };
const invitation = (issued: number, ends: number) =>
  newInvitation({ issued_at: inDays(issued), invitation_ends_at: inDays(ends), expires_at: inDays(ends) }).record;
const asked = inDays(-0.001);
const request = (fields: Parameters<typeof requestField>[0] = {}) =>
  requestField({ ip: "203.0.113.50", code: "K7P-4XQ", requested_at: asked, first_at: asked, ...fields });
const decided = { decision: "confirmed", decided_at: now, decided_by: "admin" } as const;

test("a token in use that ends soon triggers only the most urgent notice", () => {
  for (const [days, left] of Object.entries({ 30: [30, 29, 8, 7.1], 7: [7, 3, 1.1], 1: [1, 0.1] }))
    for (const one of left) expect(dueOf({ ...used, expires_at: inDays(one) })).toEqual([`token_expires ${days}`]);
});

test.for<[circumstances: string, fields: Partial<TokenRecord>, due: string[]]>([
  ["a token in use that ends later", { ...used, expires_at: inDays(30.1) }, []],
  ["one that began after the notice would be due", { ...used, issued_at: inDays(-5), expires_at: inDays(15) }, []],
  ["one that began today and ends today", { ...used, issued_at: inDays(-0.4), expires_at: inDays(0.5) }, []],
  ["one that has a successor", { ...used, expires_at: inDays(5), successor_id: absentId() }, []],
  ["one that nobody has used yet", { issued_at: inDays(-60), expires_at: inDays(5) }, []],
  ["one that nobody uses any more", { issued_at: inDays(-300), expires_at: inDays(5) }, ["token_unused"]],
  ["a rotated token in use, a day before its end", { ...rotated, expires_at: inDays(1) }, ["rotation_unfinished"]],
  ["one earlier", { ...rotated, expires_at: inDays(1.1) }, []],
  ["one after its end", { ...rotated, expires_at: inDays(-0.1) }, []],
  ["one that is not used any more", { ...rotated, last_used_at: inDays(-4), expires_at: inDays(1) }, []],
  ["a token 90 days after its beginning", { issued_at: inDays(-90) }, ["token_unused"]],
  ["one before that", { issued_at: inDays(-89.9) }, []],
  ["one 90 days after its last use", { issued_at: inDays(-300), last_used_at: inDays(-90) }, ["token_unused"]],
  ["one that was used since", { issued_at: inDays(-300), last_used_at: inDays(-89.9) }, []],
  ["one that was revoked", { issued_at: inDays(-300), revoked_at: inDays(-1) }, []],
  ["an invitation after half its time", invitation(-1, 1), ["invitation_unused"]],
  ["one before that", invitation(-1, 1.1), []],
  ["one after its end", invitation(-3, -1), []],
  ["one that was redeemed", { ...invitation(-1, 1), redeemed_at: inDays(-0.5) }, []],
  ["a request that waits", { request: request() }, ["confirmation_waiting"]],
  ["one that was decided", { request: request(decided) }, []],
  ["one that has ended", { request: request({ requested_at: inDays(-1) }) }, []],
  ["one for a revoked token", { request: request(), revoked_at: now }, []],
])("finds the due notices for %s: %j", ([, fields, due]) => {
  expect(dueOf(fields)).toEqual(due);
});

test("the same situation produces the same notice every day, and a changed expiry produces a new one", () => {
  const unused = tokenResponse(newToken({ issued_at: inDays(-90) }).record);
  expect(dueNotices(unused, inDays(5))).toEqual(dueNotices(unused, now));
  const ids = [20, 21].map((left) => noticesOf({ ...used, expires_at: inDays(left) })[0]?.notice_id ?? "");
  expect(new Set(ids.map((id) => id.replace(/^[^:]*:[^:]*/, ""))).size).toBe(2);
});

test("a notice about a request includes its address but not its code", () => {
  const notices = noticesOf({ request: request() });
  expect(notices).toMatchObject([{ details: { for: "move", ip: "203.0.113.50" } }]);
  expect(JSON.stringify(notices)).not.toContain("K7P");
});

test.for<[circumstances: string, fields: Partial<TokenRecord>, due: string[]]>([
  ["a trust without an end", {}, []],
  ["one that ends later", { expires_at: inDays(31) }, []],
  ["one that ends soon", { expires_at: inDays(6) }, ["trust_ends 7"]],
  ["one that has ended", { expires_at: inDays(-1) }, []],
  ["one whose issuer cannot be reached for a day", { unreachable_since: inDays(-1) }, ["issuer_unreachable"]],
  ["one whose issuer cannot be reached for an hour", { unreachable_since: inDays(-0.04) }, []],
])("finds the due notices for a trust: %s", ([, fields, due]) => {
  const trust = trustResponse({ ...exampleTrust, issued_at: inDays(-60), ...fields });
  const notices = dueTrustNotices(trust, now);
  expect(notices.map(named)).toEqual(due);
  for (const notice of notices) expect(describeNotice(notice)).toContain(`"deployment of the shop" (${trust.subject})`);
});

const ofTrusts = ["trust_ends", "issuer_unreachable"];

test("every notice is a sentence that names the token", () => {
  const token_id = absentId();
  for (const kind of noticeKinds.filter((one) => one !== "delivery_uncertain" && !ofTrusts.includes(one))) {
    const notice = { notice_id: "", kind, token_id, comment: "", client: null, ip: null, details: {} };
    expect(describeNotice(notice)).toMatch(new RegExp(`^The token ${token_id} .*\\.$`));
    expect(describeNotice({ ...notice, comment: "billing sync" })).toContain(`The token "billing sync" (${token_id})`);
    expect(describeNotice({ ...notice, client: "ACME" })).toContain(`The token ${token_id} of ACME`);
  }
});
