import { describe, expect, onTestFinished, test, vi } from "vitest";
import { absentId, hourMs, inMs } from "../../../../tools/support/tokens.ts";
import { useAdmin } from "../../support/admin.ts";
import { apiErrorOf } from "../../support/rejection.ts";

const admin = useAdmin();
const update = (fields: object) => admin.act({ action: "update", ...fields }, "update-1");

describe("editing a token", () => {
  test("records who did it and when, and changes nothing else", async () => {
    const { token_id } = await admin.stored({ expires_at: inMs(hourMs) });
    const before = await admin.act({ action: "get", token_id });
    const from = inMs(0);
    const answer = await update({ token_id, rate_limit: 60 });

    const { updated_at } = answer;
    expect(answer).toEqual({ ...before, rate_limit: 60, updated_at, updated_by: "invoke:update-1" });
    expect(from <= String(updated_at) && String(updated_at) <= inMs(0)).toBe(true);
    expect(await admin.act({ action: "get", token_id })).toEqual(answer);
  });

  test("changes the comment and the expiry, and leaves alone what is not sent", async () => {
    const { token_id } = await admin.stored({ comment: "before", rate_limit: 60 });
    const expires_at = inMs(hourMs);
    expect(await update({ token_id, expires_at })).toMatchObject({ comment: "before", expires_at, rate_limit: 60 });
    expect(await update({ token_id, comment: "" })).toMatchObject({ comment: "", expires_at, rate_limit: 60 });
    expect(await update({ token_id, expires_at: null, rate_limit: null })).toMatchObject({
      comment: "",
      expires_at: null,
      rate_limit: null,
    });
  });

  test.for([
    ["is brought forward binds successors", [20, 10], true],
    ["is given to a token without one binds them", [undefined, 10], true],
    ["is moved outward does not", [10, 20], false],
    ["stays the same does not", [10, 10], false],
    ["is moved outward after that binds them to the later end", [20, 10, 30], true],
    ["is lifted frees them", [20, 10, null], false],
  ] as const)("an expiry that %s", async ([, [before, ...edits], binds]) => {
    const end = (hours: number | null) => hours && inMs(hours * hourMs);
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { token_id } = await admin.stored(before === undefined ? {} : { expires_at: inMs(before * hourMs) });
    for (const hours of edits) await update({ token_id, expires_at: end(hours) });
    const { expires_at } = await admin.act({ action: "rotate", token_id, grace_seconds: 0 });
    expect(expires_at === end(edits.at(-1) ?? null) && expires_at !== null).toBe(binds);
  });

  test("ends it at the new time, for the API as well", async () => {
    const { token_id } = await admin.stored();
    await update({ token_id, expires_at: inMs(60_000) });
    onTestFinished(() => void vi.useRealTimers());
    vi.setSystemTime(Date.now() + 60_000);
    expect(await admin.act({ action: "get", token_id })).toMatchObject({ state: "expired" });
    const error = await apiErrorOf(update({ token_id, expires_at: null }));
    expect(error).toMatchObject({ code: "token_not_active" });
  });

  test("to a limit of null lifts it", async () => {
    const { token_id } = await admin.stored({ rate_limit: 60 });
    expect(await update({ token_id, rate_limit: null })).toMatchObject({ rate_limit: null });
    expect(await admin.store().find(token_id)).not.toHaveProperty("rate_limit");
  });

  test("is possible while a rotated token is still valid, except for its expiry", async () => {
    const expires_at = inMs(hourMs);
    const { token_id } = await admin.stored({ expires_at, successor_id: absentId() });
    expect(await update({ token_id, comment: "x", rate_limit: 1 })).toMatchObject({ rate_limit: 1, state: "active" });
    for (const end of [inMs(60_000), inMs(2 * hourMs), null]) {
      const error = await apiErrorOf(update({ token_id, expires_at: end, rate_limit: 2 }));
      expect(error).toMatchObject({ code: "token_already_rotated" });
    }
    expect(await admin.act({ action: "get", token_id })).toMatchObject({ rate_limit: 1, expires_at });
  });

  test.for([
    ["expired", { expires_at: inMs(-1) }],
    ["revoked", { revoked_at: inMs(-1), revoked_by: "invoke:revoke-1" }],
  ] as const)("is refused once it has %s", async ([state, fields]) => {
    const { token_id } = await admin.stored(fields);
    const error = await apiErrorOf(update({ token_id, rate_limit: 60 }));
    expect(error).toMatchObject({ code: "token_not_active", message: expect.stringContaining(`this one is ${state}`) });
    expect(await admin.store().find(token_id)).not.toHaveProperty("rate_limit");
  });

  test("that does not exist is refused", async () => {
    const error = await apiErrorOf(update({ token_id: absentId(), rate_limit: 60 }));
    expect(error).toMatchObject({ code: "token_not_found" });
  });

  test.for([
    [{ rate_limit: 0 }, "The rate_limit must be a whole number from 1 to 100000."],
    [{ rate_limit: 100_001 }, "The rate_limit must be a whole number from 1 to 100000."],
    [{ rate_limit: 1.5 }, "The rate_limit must be a whole number from 1 to 100000."],
    [{ rate_limit: "60" }, "The rate_limit must be a number."],
    [{ rate_limit: [60] }, "The rate_limit must be sent once."],
    [{}, "The token_id must be sent with at least one of comment, expires_at and rate_limit."],
    [{ comment: null }, "The comment must be a string."],
    [{ comment: "a".repeat(256) }, "The comment must be 0 to 255 characters."],
    [{ comment: "a\u0000b" }, "The comment must not contain control characters."],
    [{ expires_at: "2020-01-01T00:00:00Z" }, "The expires_at must be in the future."],
    [{ expires_at: "tomorrow" }, "The expires_at must be a time such as 2027-01-01T00:00:00Z."],
    [{ rate_limit: 60, ip: "198.51.100.9" }, "The ip field is not known."],
  ] as const)("is refused with %j", async ([fields, message]) => {
    const { token_id } = await admin.stored();
    const error = await apiErrorOf(update({ token_id, ...fields }));
    expect(error).toMatchObject({ code: "validation_failed", message });
  });
});
