import { describe, expect, test } from "vitest";
import { rotate } from "../../../../lambdas/admin/tokens/rotate.ts";
import { ApiError } from "../../../../lambdas/errors/api-error.ts";
import type { TokenRecord, TokenStore } from "../../../../lambdas/resources/tokens/token-store.ts";
import { absentId, dayMs, hourMs, inMs } from "../../../../tools/support/tokens.ts";
import { author, noteOf } from "../../../support/authors.ts";
import { useAdmin } from "../../support/admin.ts";
import { apiErrorOf } from "../../support/rejection.ts";

const admin = useAdmin();
const rotateBy = (grace_seconds: unknown, { token_id }: TokenRecord) =>
  admin.act({ action: "rotate", token_id, grace_seconds }, "rotate-1");
const stateOf = async ({ token_id }: TokenRecord) => (await admin.act({ action: "get", token_id })).state;
const span = (from: string | null, to: string | null) => Date.parse(String(to)) - Date.parse(String(from));

describe("the successor of a token", () => {
  test("has its address, comment and limit and a new text, and each names the other", async () => {
    const old = await admin.stored({ ip: "2001:db8::7", comment: "billing sync", rate_limit: 60 });
    const successor = await rotateBy(60, old);
    expect(successor).toMatchObject({
      ip: "2001:db8::7",
      comment: "billing sync",
      rate_limit: 60,
      state: "active",
      token: expect.stringContaining(`itk_${successor.token_id}_`),
      issued_by: "invoke:rotate-1",
      predecessor_id: old.token_id,
      expires_at: null,
    });
    expect(await admin.store().find(old.token_id)).toMatchObject({
      successor_id: successor.token_id,
      rotated_at: successor.issued_at,
      rotated_by: "invoke:rotate-1",
      secret_hash: old.secret_hash,
    });
  });

  test("is valid for as long as the token was originally issued for", async () => {
    const old = await admin.stored({ issued_at: inMs(-3 * dayMs), expires_at: inMs(dayMs) });
    const successor = await rotateBy(60, old);
    expect(span(successor.issued_at, successor.expires_at)).toBe(span(old.issued_at, old.expires_at ?? null));
  });

  test("is active even if the token expires at the end of the year 9999", async () => {
    const old = await admin.stored({ expires_at: "9999-12-31T23:59:59.000Z" });
    const successor = await rotateBy(60, old);
    expect(successor.state).toBe("active");
    const seen = await admin.store().find(successor.token_id);
    expect(
      await admin.store().rotate(
        seen ?? old,
        {
          expires_at: inMs(hourMs),
          rotated_at: inMs(0),
          rotated_by: "test",
          successor_id: absentId(),
        },
        noteOf("rotated"),
      ),
    ).toBeDefined();
  });

  test("can itself be rotated", async () => {
    const second = await rotateBy(0, await admin.stored());
    const third = await admin.act({ action: "rotate", token_id: second.token_id, grace_seconds: 0 });
    expect(third).toMatchObject({ predecessor_id: second.token_id, state: "active" });
  });
});

describe("a token that is rotated", () => {
  test("expires at once without a grace", async () => {
    const old = await admin.stored();
    await rotateBy(0, old);
    expect(await stateOf(old)).toBe("expired");
  });

  test("expires after its grace, and is active until then", async () => {
    const old = await admin.stored();
    const { issued_at } = await rotateBy(604_800, old);
    const record = await admin.store().find(old.token_id);
    expect(span(issued_at, record?.expires_at ?? null)).toBe(7 * dayMs);
    expect(await stateOf(old)).toBe("active");
  });

  test("never expires later than it would have anyway", async () => {
    const old = await admin.stored({ expires_at: inMs(hourMs) });
    await rotateBy(7_200, old);
    expect(await admin.store().find(old.token_id)).toMatchObject({ expires_at: old.expires_at });
  });
});

test("a token that was rotated is not rotated again: the successor is named, and no other is left", async () => {
  const old = await admin.stored();
  const { token_id } = await rotateBy(3_600, old);
  const error = await apiErrorOf(rotateBy(0, old));
  expect(error).toMatchObject({ code: "token_already_rotated", message: expect.stringContaining(token_id) });
  expect(await successorsOf(old)).toHaveLength(1);
});

const successorsOf = async ({ token_id }: TokenRecord) =>
  (await admin.store().list({ limit: 1_000 })).tokens.filter(({ predecessor_id }) => predecessor_id === token_id);

describe("losing the race for a rotation", () => {
  /** The stores of the action. Something happens to the token after its look-up and before it is ended. */
  const disturbed = (meanwhile: (tokens: TokenStore) => Promise<unknown>) => {
    const tokens = admin.store();
    const insert: TokenStore["insert"] = async (record) => {
      await tokens.insert(record, noteOf("issued"));
      await meanwhile(tokens);
    };
    return { tokens: { ...tokens, insert } };
  };
  test.for([3_600, 0])("to another one with a grace of %d s revokes the loser's successor", async (grace_seconds) => {
    const old = await admin.stored();
    const stores = disturbed(() => rotateBy(grace_seconds, old));
    const error = await apiErrorOf(
      rotate.run({ token_id: old.token_id, grace_seconds: 60 }, { author: { ...author, by: "loser" }, stores }),
    );
    expect(error.code).toBe(grace_seconds > 0 ? "token_already_rotated" : "token_not_active");

    const { successor_id } = (await admin.store().find(old.token_id)) ?? {};
    const successors = await successorsOf(old);
    expect(successors).toHaveLength(2);
    for (const { token_id, revoked_by } of successors) {
      expect(revoked_by).toBe(token_id === successor_id ? undefined : "loser");
    }
  });

  test("to a revocation leaves no active successor", async () => {
    const old = await admin.stored();
    const stores = disturbed(() => admin.act({ action: "revoke", token_id: old.token_id }));
    const error = await apiErrorOf(
      rotate.run({ token_id: old.token_id, grace_seconds: 60 }, { author: { ...author, by: "loser" }, stores }),
    );
    expect(error).toMatchObject({ code: "token_not_active", message: expect.stringContaining("revoked") });
    expect(await successorsOf(old)).toMatchObject([{ revoked_by: "loser" }]);
  });

  test("among many rotations leaves one active successor, which the token names", async () => {
    const old = await admin.stored();
    const calls = await Promise.allSettled(Array.from({ length: 8 }, () => rotateBy(60, old)));
    expect(calls.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const active = (await successorsOf(old)).filter(({ revoked_at }) => revoked_at === undefined);
    const { successor_id } = (await admin.store().find(old.token_id)) ?? {};
    expect(active.map(({ token_id }) => token_id)).toEqual([successor_id]);
  });

  test("to a failing database leaves no active successor", async () => {
    const old = await admin.stored();
    const tokens = admin.store();
    const failing: TokenStore["rotate"] = () => Promise.reject(new ApiError("unavailable"));
    const input = { token_id: old.token_id, grace_seconds: 60 };
    const stores = { tokens: { ...tokens, rotate: failing } };
    const error = await apiErrorOf(rotate.run(input, { author: { ...author, by: "loser" }, stores }));
    expect(error.code).toBe("unavailable");
    expect(await successorsOf(old)).toMatchObject([{ revoked_by: "loser" }]);
  });

  test("does not happen to the winner if its answer is lost", async () => {
    const old = await admin.stored();
    const tokens = admin.store();
    const losing: TokenStore["rotate"] = async (...change) => {
      await tokens.rotate(...change);
      return tokens.rotate(...change);
    };
    const input = { token_id: old.token_id, grace_seconds: 0 };
    const answer = await rotate.run(input, {
      author: { ...author, by: "winner" },
      stores: { tokens: { ...tokens, rotate: losing } },
    });
    expect(answer).toMatchObject({ state: "active", token: expect.stringMatching(/^itk_/) });
    expect(await successorsOf(old)).toHaveLength(1);
  });
});
