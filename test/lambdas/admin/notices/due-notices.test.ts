import { describe, expect, test } from "vitest";
import { dueNotices } from "../../../../lambdas/admin/notices/due-notices.ts";
import { tokenAnswer } from "../../../../lambdas/admin/tokens/token-answer.ts";
import { describeNotice, noticeKinds } from "../../../../lambdas/resources/notices/notice.ts";
import type { TokenRecord } from "../../../../lambdas/resources/tokens/token-store.ts";
import { absentId, newToken } from "../../../../tools/support/tokens.ts";

const dayMs = 24 * 60 * 60 * 1000;
const now = new Date().toISOString();

/** A time so many days from now. */
const inDays = (days: number): string => new Date(Date.parse(now) + days * dayMs).toISOString();

const noticesOf = (fields: Partial<TokenRecord>) => dueNotices(tokenAnswer(newToken(fields).record), now);
const kindsOf = (fields: Partial<TokenRecord>) => noticesOf(fields).map(({ kind }) => kind);

describe("a token in use that expires", () => {
  const used = { issued_at: inDays(-300), last_used_at: inDays(-2) };
  const daysOf = (left: number, fields = {}) =>
    noticesOf({ ...used, ...fields, expires_at: inDays(left) }).map(({ details }) => details.days);

  test("is worth a notice 30 days, 7 days and one day before its end, and only the most urgent one", () => {
    expect(daysOf(30.1)).toEqual([]);
    for (const left of [30, 29, 8, 7.1]) expect(daysOf(left)).toEqual(["30"]);
    for (const left of [7, 3, 1.1]) expect(daysOf(left)).toEqual(["7"]);
    for (const left of [1, 0.1]) expect(daysOf(left)).toEqual(["1"]);
  });

  test("is worth no notice that comes more days before its end than it lives", () => {
    expect(daysOf(15, { issued_at: inDays(-5) })).toEqual([]);
    expect(daysOf(5, { issued_at: inDays(-5) })).toEqual(["7"]);
    expect(daysOf(0.5, { issued_at: inDays(-0.4) })).toEqual([]);
  });

  test("is worth another notice if it gets another end", () => {
    const [first] = noticesOf({ ...used, expires_at: inDays(20) });
    const [second] = noticesOf({ ...used, expires_at: inDays(21) });
    expect(first?.notice_id.replace(/^[^:]*:[^:]*/, "")).not.toBe(second?.notice_id.replace(/^[^:]*:[^:]*/, ""));
  });

  test("is worth none if nobody uses it, or if it has a successor", () => {
    const expires_at = inDays(5);
    expect(kindsOf({ issued_at: inDays(-300), expires_at })).toEqual(["token_unused"]);
    expect(kindsOf({ issued_at: inDays(-300), last_used_at: inDays(-90), expires_at })).toEqual(["token_unused"]);
    expect(kindsOf({ issued_at: inDays(-60), expires_at })).toEqual([]);
    expect(kindsOf({ ...used, expires_at, successor_id: absentId(), rotated_at: inDays(-1) })).toEqual([]);
  });
});

test("a rotated token that is still in use is worth a notice a day before its end", () => {
  const rotated = { successor_id: absentId(), rotated_at: inDays(-3) };
  expect(kindsOf({ ...rotated, expires_at: inDays(1), last_used_at: inDays(-1) })).toEqual(["rotation_unfinished"]);
  expect(kindsOf({ ...rotated, expires_at: inDays(1.1), last_used_at: inDays(-1) })).toEqual([]);
  expect(kindsOf({ ...rotated, expires_at: inDays(1), last_used_at: inDays(-4) })).toEqual([]);
  expect(kindsOf({ ...rotated, expires_at: inDays(-0.1), last_used_at: inDays(-1) })).toEqual([]);
});

test("a token is unused 90 days after its last use, or after its beginning, and that is the same news every day", () => {
  expect(kindsOf({ issued_at: inDays(-90) })).toEqual(["token_unused"]);
  expect(kindsOf({ issued_at: inDays(-89.9) })).toEqual([]);
  expect(kindsOf({ issued_at: inDays(-300), last_used_at: inDays(-89.9) })).toEqual([]);
  expect(kindsOf({ issued_at: inDays(-300), revoked_at: inDays(-1) })).toEqual([]);
  const answer = tokenAnswer(newToken({ issued_at: inDays(-90) }).record);
  expect(dueNotices(answer, inDays(5))).toEqual(dueNotices(answer, now));
});

test("an invitation that nobody has used is worth a notice after half its time", () => {
  const invitation = (issued: number, ends: number, redeemed = {}) =>
    kindsOf({
      issued_at: inDays(issued),
      invitation_hash: newToken().record.secret_hash,
      invitation_ends_at: inDays(ends),
      expires_at: inDays(ends),
      ...redeemed,
    });
  expect(invitation(-1, 1.1)).toEqual([]);
  expect(invitation(-1, 1)).toEqual(["invitation_unused"]);
  expect(invitation(-3, -1)).toEqual([]);
  expect(invitation(-1, 1, { redeemed_at: inDays(-0.5) })).toEqual([]);
});

test("a request that waits for an admin is worth a notice, which does not have its code", () => {
  const request = (fields: object) =>
    JSON.stringify({
      ip: "203.0.113.50",
      code: "K7P-4XQ",
      requested_at: inDays(-0.001),
      first_at: inDays(-0.001),
      attempts: 1,
      ...fields,
    });
  const [notice] = noticesOf({ request: request({}) });
  expect(notice).toMatchObject({ kind: "confirmation_waiting", details: { for: "move", ip: "203.0.113.50" } });
  expect(JSON.stringify(notice)).not.toContain("K7P");
  const decided = { decision: "confirmed", decided_at: now, decided_by: "admin" };
  expect(kindsOf({ request: request(decided) })).toEqual([]);
  expect(kindsOf({ request: request({ requested_at: inDays(-1) }) })).toEqual([]);
  expect(kindsOf({ request: request({}), revoked_at: now })).toEqual([]);
});

test("every kind of notice is a sentence that names the token", () => {
  for (const kind of noticeKinds.filter((one) => one !== "delivery_uncertain")) {
    const notice = { notice_id: "", kind, token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B", comment: "", ip: null, details: {} };
    expect(describeNotice(notice)).toMatch(/^The token 01KAK3Y0V9QX8M4N2R7T5W1Y0B .*\.$/);
    expect(describeNotice({ ...notice, comment: "billing sync" })).toContain(
      'The token "billing sync" (01KAK3Y0V9QX8M4N2R7T5W1Y0B)',
    );
  }
});
