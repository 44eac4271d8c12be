import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { absentId, hourMs, inMs, newToken } from "../../../../tools/support/tokens.ts";
import { useAdmin } from "../../support/admin.ts";
import { apiErrorOf } from "../../support/rejection.ts";

const admin = useAdmin();

const page = z.strictObject({
  tokens: z.array(z.looseObject({ token_id: z.string() })),
  next_cursor: z.nullable(z.string()),
});
const list = async (fields: object = {}) => z.parse(page, await admin.invoke({ action: "list", ...fields }));

describe("getting a token", () => {
  test("returns its record with its state, without its hash or its text", async () => {
    const record = await admin.stored({
      expires_at: inMs(-hourMs),
      rotated_at: inMs(-hourMs),
      successor_id: absentId(),
    });
    const { secret_hash, ...shown } = record;
    const answer = await admin.act({ action: "get", token_id: record.token_id });
    expect(answer).toEqual({
      predecessor_id: null,
      rotated_by: null,
      revoked_at: null,
      revoked_by: null,
      last_used_at: null,
      rate_limit: null,
      updated_at: null,
      updated_by: null,
      dismissed_addresses: [],
      invitation: null,
      request: null,
      ...shown,
      state: "expired",
    });
    expect(JSON.stringify(answer)).not.toContain(secret_hash);
  });

  test.for(["get", "revoke"])("is refused by %s if it does not exist", async (action) => {
    const error = await apiErrorOf(admin.invoke({ action, token_id: absentId() }));
    expect(error).toMatchObject({ name: "token_not_found", message: "There is no token with this token_id." });
  });
});

test.for(["get", "revoke", "rotate"])(
  "%s accepts only an id, never a token, which would end up in the log",
  async (action) => {
    for (const token_id of [newToken().text, "", "x".repeat(26), 7, undefined]) {
      const error = await apiErrorOf(
        admin.invoke({ action, token_id, ...(action === "rotate" && { grace_seconds: 0 }) }),
      );
      expect(error).toMatchObject({ code: "validation_failed" });
      expect(error.message).toMatch(/^The token_id [^.]*\.$/);
    }
  },
);

describe("listing tokens", () => {
  test("returns each once over all pages, without a hash or a text", async () => {
    const records = await Promise.all(Array.from({ length: 7 }, () => admin.stored()));
    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const { tokens, next_cursor } = await list({ limit: 3, ...(cursor && { cursor }) });
      expect(tokens.length).toBeLessThanOrEqual(3);
      for (const token of tokens) {
        expect(token).not.toHaveProperty("secret_hash");
        expect(token).not.toHaveProperty("token");
      }
      seen.push(...tokens.map(({ token_id }) => token_id));
      cursor = next_cursor;
    } while (cursor);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(records.map(({ token_id }) => token_id)));
  });

  test.for([
    [{ limit: 0 }, "The limit must be a whole number from 1 to 1000."],
    [{ limit: 1_001 }, "The limit must be a whole number from 1 to 1000."],
    [{ limit: 1.5 }, "The limit must be a whole number from 1 to 1000."],
    [{ cursor: "!" }, "The cursor is not one that this service returned. Start again without it."],
    [{ token_id: "x" }, "The token_id field is not known."],
  ] as const)("is refused with %j", async ([fields, message]) => {
    const error = await apiErrorOf(admin.invoke({ action: "list", ...fields }));
    expect(error).toMatchObject({ code: "validation_failed", message });
  });
});

describe("revoking a token", () => {
  test("ends it at once and records who did it", async () => {
    const { token_id } = await admin.stored({ expires_at: inMs(hourMs) });
    const from = inMs(0);
    const answer = await admin.act({ action: "revoke", token_id }, "revoke-1");
    expect(answer).toMatchObject({ state: "revoked", revoked_by: "invoke:revoke-1" });
    expect(answer).not.toHaveProperty("token");
    expect(answer).not.toHaveProperty("secret_hash");
    const revokedAt = String(answer.revoked_at);
    expect(from <= revokedAt && revokedAt <= inMs(0)).toBe(true);
  });

  test("a second time changes nothing, not even who revoked it and when", async () => {
    const { token_id } = await admin.stored();
    const first = await admin.act({ action: "revoke", token_id }, "revoke-1");
    expect(await admin.act({ action: "revoke", token_id }, "revoke-2")).toEqual(first);
  });

  test("that has expired leaves it unchanged", async () => {
    const { token_id } = await admin.stored({ expires_at: inMs(-hourMs) });
    const answer = await admin.act({ action: "revoke", token_id });
    expect(answer).toMatchObject({ state: "expired", revoked_at: null });
  });
});
