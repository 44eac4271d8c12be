import { describe, expect, test } from "vitest";
import { revoke } from "../../../../lambdas/admin/tokens/revoke.ts";
import { rotate } from "../../../../lambdas/admin/tokens/rotate.ts";
import { moveToken, rotateOwnToken } from "../../../../lambdas/resources/tokens/by-client/client-succession.ts";
import { revokeToken } from "../../../../lambdas/resources/tokens/succession.ts";
import type { TokenStore } from "../../../../lambdas/resources/tokens/token-store.ts";
import { decided, newToken, requestField } from "../../../../tools/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import { holderOf, useTokenStore } from "../../support/token-store.ts";

const { store, stored, find } = useTokenStore();
const [home, away] = ["198.51.100.7", "203.0.113.50"];
const by = { by: "revoker", author };

/** A token that can be rotated, and moved. */
const issue = async () => {
  const request = requestField({ ip: away, ...decided("confirmed") });
  return (await stored(newToken({ ip: home, request }).record)).token_id;
};

type Act = (tokens: TokenStore, token_id: string) => Promise<unknown>;

const found = async (tokens: TokenStore, token_id: string) => {
  const token = await tokens.find(token_id);
  if (!token) throw new Error("there is no such token");
  return token;
};

/** The calls that make a successor. Each looks the token up, stores the successor and ends the token. */
const makers: Record<string, Act> = {
  "a client's rotation": async (tokens, id) => rotateOwnToken(holderOf(await found(tokens, id), home), 60, tokens),
  "a client's move": async (tokens, id) => moveToken(holderOf(await found(tokens, id), away), tokens),
  "an admin's rotation": (tokens, token_id) =>
    rotate.run({ token_id, grace_seconds: 60 }, { author, stores: { tokens } }),
};

/** The calls that revoke the token. Each looks it up and ends it. */
const revokers: Record<string, Act> = {
  "a client": async (tokens, id) => revokeToken(tokens, await found(tokens, id), by),
  "an admin": (tokens, token_id) => revoke.run({ token_id }, { author, stores: { tokens } }),
};

/** Begins to act, up to the first call of the store, and makes one call with each step. */
const begin = async (act: Act, token_id: string) => {
  let isDone = false;
  let makeCall = () => {};
  let stopped = Promise.withResolvers<void>();
  const inTurn =
    <Input extends unknown[], Output>(call: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      const turn = Promise.withResolvers<void>();
      makeCall = turn.resolve;
      stopped.resolve();
      await turn.promise;
      return call(...input);
    };
  const { find, insert, rotate, revoke, settle, ...others } = store();
  const calls = { find: inTurn(find), insert: inTurn(insert), rotate: inTurn(rotate), revoke: inTurn(revoke) };
  const outcome = Promise.allSettled([act({ ...others, ...calls, settle: inTurn(settle) }, token_id)]).then(() => {
    isDone = true;
    stopped.resolve();
  });
  await stopped.promise;
  const step = async () => {
    if (isDone) return;
    stopped = Promise.withResolvers<void>();
    makeCall();
    await stopped.promise;
  };
  const finish = async () => {
    while (!isDone) await step();
    await outcome;
  };
  return { step, finish };
};

/** Both act, with their calls in this order (m: the maker, r: the revoker), and then finish. The successors that still work. */
const workingAfter = async (order: string, make: Act, end: Act): Promise<string[]> => {
  const token_id = await issue();
  const maker = await begin(make, token_id);
  const revoker = await begin(end, token_id);
  for (const turn of order) await (turn === "m" ? maker : revoker).step();
  await maker.finish();
  await revoker.finish();
  expect(await find(token_id)).toHaveProperty("revoked_at");
  const { tokens } = await store().list({ limit: 1_000 });
  const successors = tokens.filter(({ predecessor_id }) => predecessor_id === token_id);
  return successors.filter(({ revoked_at }) => revoked_at === undefined).map((each) => each.token_id);
};

describe("a revocation", () => {
  const rotation = Object.values(makers)[0] as Act;
  const byClient = Object.values(revokers)[0] as Act;

  test.for(["rrmmm", "rmrmm", "rmmrm", "rmmmr", "mrrmm", "mrmrm", "mrmmr", "mmrrm", "mmrmr"])(
    "that begins before a token has its successor leaves none: %s",
    async (order) => expect(await workingAfter(order, rotation, byClient)).toEqual([]),
  );

  test("that begins after it leaves the successor", async () => {
    expect(await workingAfter("mmmrr", rotation, byClient)).toHaveLength(1);
  });

  test.for(
    Object.entries(makers).flatMap(([made, make]) =>
      Object.entries(revokers).map((end) => [end[0], made, make, end[1]] as const),
    ),
  )("by %s ends the successor of %s that comes between its look-up and its write", async ([, , make, end]) =>
    expect(await workingAfter("mmrmr", make, end)).toEqual([]),
  );

  test("also ends what became of such a successor meanwhile", async () => {
    const seen = await find(await issue());
    const first = await rotateOwnToken(holderOf(seen, home), 60, store());
    if (first.outcome !== "issued") throw new Error("the token was not rotated");
    const second = await rotateOwnToken(holderOf(first.token, home, "other"), 60, store());
    if (second.outcome !== "issued") throw new Error("the successor was not rotated");

    await revokeToken(store(), seen, by);
    for (const { token_id } of [seen, first.token, second.token])
      expect(await find(token_id)).toHaveProperty("revoked_at");
  });
});
