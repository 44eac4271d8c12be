import { describe, expect, onTestFinished, test, vi } from "vitest";
import { revoke } from "../../../../lambdas/admin/tokens/revoke.ts";
import { rotate } from "../../../../lambdas/admin/tokens/rotate.ts";
import { moveToken, rotateOwnToken } from "../../../../lambdas/resources/tokens/by-client/client-succession.ts";
import { revokeToken, succeed } from "../../../../lambdas/resources/tokens/succession.ts";
import type { TokenRecord, TokenStore } from "../../../../lambdas/resources/tokens/token-store.ts";
import { generateTokenText, hashSecret } from "../../../../lambdas/resources/tokens/token-text.ts";
import { absentId, dayMs, hourMs, inMs, newToken } from "../../../../tools/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import { away, elsewhere, holderOf, home, openTokenStore, recordIn } from "../../support/stores.ts";

const { store, stored, issue, find, lastChange } = await openTokenStore();
const now = inMs(0);
const afterNow = (milliseconds: number) => new Date(Date.parse(now) + milliseconds).toISOString();

const terms = () => ({ text: generateTokenText(), ip: home, by: "client", author, now, graceSeconds: 60 });

const successorOf = async (old: TokenRecord, more: Partial<Parameters<typeof succeed>[2]> = {}) => {
  const succession = await succeed(store, old, { ...terms(), ...more });
  if (!succession.made) throw new Error("the token was not rotated");
  return succession.successor;
};

describe("a successor", () => {
  test("has its own text, and the terms and the allowance of the old token", async () => {
    const old = await issue();
    const text = generateTokenText();
    expect(await successorOf(old, { text })).toStrictEqual({
      token_id: text.token_id,
      secret_hash: hashSecret(text.secret),
      ip: home,
      comment: old.comment,
      issued_at: now,
      issued_by: "client",
      predecessor_id: old.token_id,
      limit_id: old.token_id,
    });
    const details = { predecessor_id: old.token_id, ip: home };
    expect(await lastChange(text.token_id)).toMatchObject({ kind: "succeeded", author, details });
  });

  test("has the old token's limit, its shared allowance and its dismissed addresses, and keeps its own nonce", async () => {
    const dismissed = [{ ip: elsewhere, dismissed_at: now, dismissed_by: "admin" }];
    const shared = { rate_limit: 60, limit_id: absentId(), dismissed_addresses: JSON.stringify(dismissed) };
    const repeat_nonce = "AAAAAAAAAAAAAAAAAAAAAA";
    expect(await successorOf(await issue(shared), { repeat_nonce })).toMatchObject({ ...shared, repeat_nonce });
  });

  test("lives as long as the old token would have from its beginning to its end", async () => {
    const old = await issue({ issued_at: afterNow(-dayMs), expires_at: afterNow(9 * dayMs) });
    expect(await successorOf(old)).toMatchObject({ expires_at: afterNow(10 * dayMs) });
  });

  test("ends when the old token would have, if an admin has brought that forward, and so do its own successors", async () => {
    const end = { end_set_at: afterNow(-hourMs), expires_at: afterNow(dayMs) };
    const first = await successorOf(await issue({ issued_at: afterNow(-30 * dayMs), ...end }));
    const second = await successorOf(await find(first.token_id), { now: afterNow(hourMs) });
    for (const successor of [first, second]) expect(successor).toMatchObject(end);
  });

  test("does not live beyond the last time that can be stored", async () => {
    const old = await issue({ issued_at: afterNow(-dayMs), expires_at: "9999-12-31T23:59:59.000Z" });
    expect(await successorOf(old)).toMatchObject({ expires_at: "9999-12-31T23:59:59.999Z" });
  });
});

describe("the old token", () => {
  test("is rotated: it ends after its grace period, and its history names its successor", async () => {
    const old = await issue();
    const { token_id: successor_id } = await successorOf(old);
    const expires_at = afterNow(60_000);
    expect(await find(old.token_id)).toMatchObject({ expires_at, rotated_at: now, rotated_by: "client", successor_id });
    const details = { successor_id, expires_at };
    expect(await lastChange(old.token_id)).toMatchObject({ kind: "rotated", author, details });
  });

  test("is moved, if its successor has another address", async () => {
    const old = await issue();
    const { token_id: successor_id } = await successorOf(old, { ip: away });
    const details = { successor_id, ip: away };
    expect(await lastChange(old.token_id)).toMatchObject({ kind: "moved", author, details });
  });

  test.for([
    [59_999, 59_999],
    [hourMs, 60_000],
  ] as const)("that would end after %i ms ends after %i ms", async ([endsAfter, ended]) => {
    const old = await issue({ expires_at: afterNow(endsAfter) });
    await successorOf(old);
    expect(await find(old.token_id)).toMatchObject({ expires_at: afterNow(ended) });
  });
});

describe("a succession that fails", () => {
  const failure = new Error("no database");
  const failing = async () => Promise.reject(failure);

  interface Failure {
    /** The old token, or what becomes of it meanwhile. */
    old?: () => Promise<TokenRecord>;
    tokens?: Partial<TokenStore>;
    returns: (old: TokenRecord) => object;
  }

  const failures: Record<string, Failure> = {
    "because the old token was revoked meanwhile returns the token as it is": {
      async old() {
        const old = await issue();
        await store.revoke(old.token_id, { revoked_at: inMs(0), revoked_by: "admin" }, author);
        return old;
      },
      returns: () => ({ made: false, current: expect.objectContaining({ revoked_by: "admin" }) }),
    },
    "because another succession came first returns its successor": {
      async old() {
        const old = await issue();
        await successorOf(old);
        return old;
      },
      returns: () => ({ made: false, current: expect.objectContaining({ successor_id: expect.any(String) }) }),
    },
    "because the old token is gone returns nothing": {
      old: async () => newToken().record,
      returns: () => ({ made: false }),
    },
    "because the database does returns the token as it is, and the failure": {
      tokens: { rotate: failing },
      returns: (old) => ({ made: false, current: { ...old, changed_at: expect.any(String) }, failure }),
    },
  };

  test.for(Object.entries(failures))("%s, and revokes only its own successor", async ([, { old, tokens, returns }]) => {
    const seen = await (old ?? issue)();
    const request = terms();
    const outcome = await succeed({ ...store, ...tokens }, seen, request);
    expect(outcome).toEqual(returns(seen));
    const { successor_id } = ("current" in outcome && outcome.current) || {};
    expect(await find(request.text.token_id)).toMatchObject({ revoked_at: expect.any(String), revoked_by: "client" });
    if (successor_id !== undefined) expect(await find(successor_id)).not.toHaveProperty("revoked_at");
  });

  test("twice revokes nothing, because the old token may have ended", async () => {
    const request = terms();
    const rotate = () => Promise.reject(new Error("first"));
    await expect(succeed({ ...store, rotate, settle: failing }, await issue(), request)).rejects.toBe(failure);
    expect(await find(request.text.token_id)).not.toHaveProperty("revoked_at");
  });

  test("only in its response has been made", async () => {
    const request = terms();
    const revoke = vi.fn(store.revoke);
    const rotate: TokenStore["rotate"] = async (...change) => {
      await store.rotate(...change);
      throw failure;
    };
    const outcome = await succeed({ ...store, rotate, revoke }, await issue(), request);
    expect(outcome).toMatchObject({ made: true, successor: { token_id: request.text.token_id } });
    expect(revoke).not.toHaveBeenCalled();
  });
});

describe("a revocation", () => {
  const by = { by: "revoker", author };
  type Act = (tokens: TokenStore, token_id: string) => Promise<unknown>;
  const seenBy = async (tokens: TokenStore, tokenId: string) => (await tokens.find(tokenId)) ?? newToken().record;

  /** The calls that make a successor. Each looks the token up, stores the successor and ends the token. */
  const makers = {
    "a client's rotation": async (tokens, id) => rotateOwnToken(holderOf(await seenBy(tokens, id), home), 60, tokens),
    "a client's move": async (tokens, id) => moveToken(holderOf(await seenBy(tokens, id), away), tokens),
    "an admin's rotation": (tokens, token_id) =>
      rotate.run({ token_id, grace_seconds: 60 }, { author, stores: { tokens } }),
  } satisfies Record<string, Act>;

  /** The calls that revoke the token. Each looks it up and ends it. */
  const revokers = {
    "a client": async (tokens, id) => revokeToken(tokens, await seenBy(tokens, id), by),
    "an admin": (tokens, token_id) => revoke.run({ token_id }, { author, stores: { tokens } }),
  } satisfies Record<string, Act>;

  type Operation = "find" | "insert" | "rotate" | "revoke";

  /** A store in which something happens before the first call of an operation. */
  const storeWith = (operation: Operation, happens: () => Promise<unknown>): TokenStore => {
    let isPending = true;
    const first = async (called: Operation) => {
      if (called !== operation || !isPending) return;
      isPending = false;
      await happens();
    };
    return {
      ...store,
      find: (...input) => first("find").then(() => store.find(...input)),
      insert: (...input) => first("insert").then(() => store.insert(...input)),
      rotate: (...input) => first("rotate").then(() => store.rotate(...input)),
      revoke: (...input) => first("revoke").then(() => store.revoke(...input)),
    };
  };

  /** Acts, while another one acts before this call of it: the successors that still work. */
  const workingAfter = async (act: Act, operation: Operation, other: Act): Promise<TokenRecord[]> => {
    const inserted = vi.spyOn(store, "insert");
    onTestFinished(() => inserted.mockRestore());
    // It can be rotated, and moved.
    const { token_id } = await stored(recordIn("move_confirmed"));
    await Promise.allSettled([
      act(
        storeWith(operation, () => other(store, token_id)),
        token_id,
      ),
    ]);
    expect(await find(token_id)).toHaveProperty("revoked_at");
    const made = await Promise.all(inserted.mock.calls.map(([successor]) => find(successor.token_id)));
    return made.filter((token) => token.predecessor_id === token_id && token.revoked_at === undefined);
  };

  const pairs = Object.entries(revokers).flatMap(([by, end]) =>
    Object.entries(makers).map(([of, make]) => ({ by, of, end, make })),
  );
  describe.for(pairs)("by $by and $of", ({ end, make }) => {
    test.for(["find", "insert", "rotate"] as const)("leave no successor if it is made before the %s", async (call) => {
      expect(await workingAfter(make, call, end)).toEqual([]);
    });

    test("leave no successor if that comes between the revocation's look-up and its write", async () => {
      expect(await workingAfter(end, "revoke", make)).toEqual([]);
    });

    test("leave the successor if that was there before the revocation's look-up", async () => {
      expect(await workingAfter(end, "find", make)).toHaveLength(1);
    });
  });

  test("of a token that is gone returns nothing", async () => {
    expect(await revokeToken(store, newToken().record, by)).toBeUndefined();
  });

  test("also ends what became of such a successor meanwhile", async () => {
    const seen = await issue();
    const first = await successorOf(seen);
    const second = await successorOf(await find(first.token_id));
    await revokeToken(store, seen, by);
    for (const { token_id } of [seen, first, second]) expect(await find(token_id)).toHaveProperty("revoked_at");
  });
});
