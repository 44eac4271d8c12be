import { describe, expect, test } from "vitest";
import { lifeCycle, type Transition } from "../../../../lambdas/domain/tokens/life-cycle.ts";
import {
  type Answer,
  type Call,
  phaseIn,
  placeOf,
  type Token,
  type Tokens,
} from "../../../../tools/lab/simulation/life-cycle/life.ts";
import { perform } from "../../../../tools/lab/simulation/life-cycle/model.ts";
import { exploreStates, type ServiceState } from "../../../../tools/lab/simulation/life-cycle/states.ts";

test("the model of a token's life has exactly the phase transitions of the service's life cycle", () => {
  const table = Object.values<Transition>(lifeCycle).flatMap(({ from, to }) =>
    from.filter((phase) => phase !== to).map((phase) => `${phase} -> ${to}`),
  );
  const observed = [
    { tokens: 1, requests: 2 },
    { tokens: 2, requests: 1 },
  ].flatMap((scope) => exploreStates(scope).states.flatMap(stepsFrom));
  // A rotation without a grace period makes two steps at once.
  const expected = [...table, "active -> replaced", "moving -> replaced"];
  expect(new Set(observed)).toEqual(new Set(expected));
});

const stepsFrom = ({ tokens, transitions }: ServiceState): string[] =>
  transitions.flatMap(({ outcome }) =>
    tokens.flatMap((token, place) => {
      const now = outcome.tokens[place];
      const from = phaseIn(token, tokens.length > place + 1);
      const to = now && phaseIn(now, outcome.tokens.length > place + 1);
      return to === undefined || to === from ? [] : [`${from} -> ${to}`];
    }),
  );

type Perform = typeof perform;

/* Services that behave like the model, except for one mistake. */

/** Makes calls of a kind leave tokens with other values. */
const leaving =
  (kind: Call["kind"], changes: (token: Token, at: { place: number; before: Tokens }) => Partial<Token>): Perform =>
  (before, call, scope) => {
    const outcome = perform(before, call, scope);
    if (!outcome || call.kind !== kind || outcome.answer.status >= 202) return outcome;
    const tokens = outcome.tokens.map((token, place) => ({ ...token, ...changes(token, { place, before }) }));
    return { ...outcome, tokens };
  };

/** Makes some calls get another response and change nothing. */
const answering =
  (answer: Answer, isMeant: (tokens: Tokens, call: Call) => boolean): Perform =>
  (tokens, call, scope) =>
    isMeant(tokens, call) ? { tokens, answer } : perform(tokens, call, scope);

/** Treats one call as another. */
const takenFor =
  (change: (call: Call) => Call): Perform =>
  (tokens, call, scope) =>
    perform(tokens, change(call), scope);

/** Makes calls of a kind find tokens with other values. */
const finding =
  (kind: Call["kind"], changes: (token: Token) => Partial<Token>): Perform =>
  (tokens, call, scope) =>
    perform(call.kind === kind ? tokens.map((token) => ({ ...token, ...changes(token) })) : tokens, call, scope);

describe("detects a mistake in a token's life cycle", () => {
  test.each<[string, Perform, promise: string]>([
    [
      "a confirmation ignores the address and the code",
      takenFor((call) => (call.kind === "confirm" ? { ...call, as: "shown" } : call)),
      "a confirmation names the address and the code",
    ],
    [
      "a text can be derived after its first use",
      leaving("use", () => ({ hasNonce: true })),
      "nothing stored opens a door",
    ],
    [
      "a text is repeated after its time",
      leaving("wait", (_, { place, before }) => ({ repeats: before[place]?.repeats ?? 0 })),
      "a text is given again only while it is new and unused",
    ],
    [
      "an invitation is used twice, from two addresses",
      answering({ status: 201, text: 0 }, ([token], call) => {
        const isNew = token?.isInvitation === false && token.repeats > 0;
        return call.kind === "redeem" && isNew && call.from !== token.ip;
      }),
      "one address for each secret",
    ],
    [
      "a rejected request can still be fulfilled",
      finding("move", ({ request }) =>
        request ? { request: { ...request, decision: "confirmed", completes: 2 } } : {},
      ),
      "no address without its confirmation",
    ],
    ["a move leaves the old token active", leaving("move", () => ({ ends: null })), "a move ends the old token"],
    [
      "a successor gets a lifetime of its own",
      leaving("rotate own", ({ ends }, { place }) => ({ ends: place > 0 ? null : ends })),
      "an end that was set binds successors",
    ],
    [
      "a token cannot be revoked from elsewhere",
      answering({ status: 204 }, (tokens, call) => call.kind === "leave" && call.from !== tokens[placeOf(call)]?.ip),
      "whoever has a token can end it",
    ],
    [
      "a replaced token is not revoked",
      answering({ status: 200 }, (tokens, call) => call.kind === "revoke" && tokens[placeOf(call)]?.ends === 0),
      "a revocation also ends what the text still gives",
    ],
    [
      "a revoked token is accepted",
      finding("use", () => ({ isRevoked: false })),
      "nothing is accepted after a revocation",
    ],
    [
      "a rotation cannot be repeated for as long",
      leaving("rotate own", ({ repeats }) => ({ repeats: Math.min(1, repeats) })),
      "a new text can be requested again for 15 minutes",
    ],
    [
      "a rotation cannot be repeated",
      answering({ status: 409, code: "token_already_rotated" }, (tokens, call) => {
        return call.kind === "rotate own" && tokens[placeOf(call) + 1] !== undefined;
      }),
      "a lost response does no harm",
    ],
  ])("%s", (_, act, promise) => {
    expect(exploreStates({ tokens: 2, requests: 1 }, act).broken?.promise).toBe(promise);
  });
});
