import { expect, test, vi } from "vitest";
import { revokeToken, succeed } from "../../../../lambdas/domain/tokens/succession.ts";
import type { TokenRecord, TokenStore } from "../../../../lambdas/domain/tokens/token-store.ts";
import { generateTokenValue, hashSecret, newNonce } from "../../../../lambdas/domain/tokens/token-value.ts";
import { dayMs, hourMs, inMs, newToken } from "../../../kit/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import { fullRecord } from "../../support/full-record.ts";
import { away, home, openTokenStore } from "../../support/stores.ts";
import { words } from "../../support/words.ts";

const { store, issue, find, lastChange } = await openTokenStore();
const now = inMs(0);
const afterNow = (milliseconds: number) => new Date(Date.parse(now) + milliseconds).toISOString();

const terms = () => ({ parts: generateTokenValue(), ip: home, by: "client", author, now, graceSeconds: 60 });

const successorOf = async (old: TokenRecord, more: Partial<Parameters<typeof succeed>[2]> = {}) => {
  const succession = await succeed(store, old, { ...terms(), ...more });
  if (!succession.made) throw new Error("the token was not rotated");
  return succession.successor;
};

test("a successor has its own value, and the old token's terms and allowance", async () => {
  const old = await issue();
  const parts = generateTokenValue();
  expect(await successorOf(old, { parts })).toStrictEqual({
    token_id: parts.token_id,
    secret_hash: hashSecret(parts.secret),
    ip: home,
    comment: old.comment,
    issued_at: now,
    changed_at: now,
    issued_by: "client",
    predecessor_id: old.token_id,
    limit_id: old.token_id,
  });
  const details = { predecessor_id: old.token_id, ip: home };
  expect(await lastChange(parts.token_id)).toMatchObject({ kind: "succeeded", author, details });
});

test("a successor inherits the old token's restrictions and nothing else", async () => {
  const inherited = words(
    "comment client expires_at end_set_at dismissed_addresses rate_limit limit_id trust_id trusted_at",
  );
  const ofItsOwn = words("token_id secret_hash ip issued_at issued_by changed_at predecessor_id repeat_nonce");
  const [old, inserted] = [fullRecord(), new Map<string, unknown>()];
  const insert = async (record: TokenRecord) => void Object.entries(record).map((entry) => inserted.set(...entry));
  const rotate = async (seen: TokenRecord, rotation: object) => ({ made: true, token: { ...seen, ...rotation } });
  await succeed({ ...store, insert, rotate }, old, { ...terms(), ip: away, repeat_nonce: newNonce() });

  expect([...inserted.keys()].toSorted()).toEqual([...inherited, ...ofItsOwn].toSorted());
  for (const [field, before] of Object.entries(old)) {
    if (inherited.includes(field)) expect(inserted.get(field), field).toBe(before);
    if (ofItsOwn.includes(field)) expect([undefined, before], field).not.toContain(inserted.get(field));
  }
});

test("a successor gets the old token's full original lifetime, up to the latest time that can be stored", async () => {
  const lived = { issued_at: afterNow(-dayMs) };
  const old = await issue({ ...lived, expires_at: afterNow(9 * dayMs) });
  expect(await successorOf(old)).toMatchObject({ expires_at: afterNow(10 * dayMs) });
  const oldest = await issue({ ...lived, expires_at: "9999-12-31T23:59:59.000Z" });
  expect(await successorOf(oldest)).toMatchObject({ expires_at: "9999-12-31T23:59:59.999Z" });
});

test("an earlier expiry that an admin set applies to all successors", async () => {
  const end = { end_set_at: afterNow(-hourMs), expires_at: afterNow(dayMs) };
  const first = await successorOf(await issue({ issued_at: afterNow(-30 * dayMs), ...end }));
  const second = await successorOf(await find(first.token_id), { now: afterNow(hourMs) });
  for (const successor of [first, second]) expect(successor).toMatchObject(end);
});

test("a rotated token ends after its grace period, and its history names its successor", async () => {
  const old = await issue();
  const { token_id: successor_id } = await successorOf(old);
  const expires_at = afterNow(60_000);
  expect(await find(old.token_id)).toMatchObject({ expires_at, rotated_at: now, rotated_by: "client", successor_id });
  const details = { successor_id, expires_at };
  expect(await lastChange(old.token_id)).toMatchObject({ kind: "rotated", author, details });
});

test("the history records a move if the successor has a different address", async () => {
  const old = await issue();
  const { token_id: successor_id } = await successorOf(old, { ip: away });
  const details = { successor_id, ip: away };
  expect(await lastChange(old.token_id)).toMatchObject({ kind: "moved", author, details });
});

test.for([
  [59_999, 59_999],
  [hourMs, 60_000],
] as const)("with %i ms left, a rotated token ends after %i ms", async ([endsAfter, ended]) => {
  const old = await issue({ expires_at: afterNow(endsAfter) });
  await successorOf(old);
  expect(await find(old.token_id)).toMatchObject({ expires_at: afterNow(ended) });
});

const failure = new Error("no database");
const failing = () => Promise.reject(failure);

interface Failure {
  /** The old token, after anything that happens to it meanwhile. */
  old?: () => Promise<TokenRecord>;
  tokens?: Partial<TokenStore>;
  returns: (old: TokenRecord) => object;
}

const failures: Record<string, Failure> = {
  "is revoked meanwhile returns it as it is": {
    async old() {
      const old = await issue();
      await store.revoke(old.token_id, { revoked_at: inMs(0), revoked_by: "admin" }, author);
      return old;
    },
    returns: () => ({ made: false, current: expect.objectContaining({ revoked_by: "admin" }) }),
  },
  "gets another successor first returns that one": {
    async old() {
      const old = await issue();
      await successorOf(old);
      return old;
    },
    returns: () => ({ made: false, current: expect.objectContaining({ successor_id: expect.any(String) }) }),
  },
  "is gone returns nothing": { old: async () => newToken().record, returns: () => ({ made: false }) },
  "cannot be written returns it as it is, and the failure": {
    tokens: { rotate: failing },
    returns: (old) => ({ made: false, current: { ...old, changed_at: expect.any(String) }, failure }),
  },
};

test.for(Object.entries(failures))(
  "a succession whose old token %s, and revokes only its own successor",
  async ([, { old, tokens, returns }]) => {
    const seen = await (old ?? issue)();
    const request = terms();
    const outcome = await succeed({ ...store, ...tokens }, seen, request);
    expect(outcome).toEqual(returns(seen));
    const { successor_id } = ("current" in outcome && outcome.current) || {};
    expect(await find(request.parts.token_id)).toMatchObject({ revoked_at: expect.any(String), revoked_by: "client" });
    if (successor_id !== undefined) expect(await find(successor_id)).not.toHaveProperty("revoked_at");
  },
);

test("a succession that cannot be settled revokes nothing, because the old token may have ended", async () => {
  const request = terms();
  const rotate = () => Promise.reject(new Error("first"));
  await expect(succeed({ ...store, rotate, settle: failing }, await issue(), request)).rejects.toBe(failure);
  expect(await find(request.parts.token_id)).not.toHaveProperty("revoked_at");
});

test("a succession whose response is lost still succeeds", async () => {
  const request = terms();
  const revoke = vi.fn(store.revoke);
  const rotate: TokenStore["rotate"] = async (...change) => {
    await store.rotate(...change);
    throw failure;
  };
  const outcome = await succeed({ ...store, rotate, revoke }, await issue(), request);
  expect(outcome).toMatchObject({ made: true, successor: { token_id: request.parts.token_id } });
  expect(revoke).not.toHaveBeenCalled();
});

/* The simulation in tools/lab/simulation makes revocations race with rotations and moves, by clients and by admins. */
const by = { by: "revoker", author };

test("revoking a token that no longer exists returns nothing", async () => {
  expect(await revokeToken(store, newToken().record, by)).toBeUndefined();
});

test("a revocation also ends successors created since the token was read", async () => {
  const seen = await issue();
  const first = await successorOf(seen);
  const second = await successorOf(await find(first.token_id));
  expect(await revokeToken(store, seen, by)).toMatchObject({ token_id: seen.token_id });
  for (const { token_id } of [seen, first, second])
    expect(await find(token_id)).toMatchObject({ revoked_at: expect.any(String), revoked_by: "revoker" });
});

test("a revocation keeps successors that existed before", async () => {
  const { token_id } = await issue();
  const successor = await successorOf(await find(token_id));
  await revokeToken(store, await find(token_id), by);
  expect(await find(successor.token_id)).not.toHaveProperty("revoked_at");
});
