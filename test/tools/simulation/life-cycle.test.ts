import { describe, expect, test } from "vitest";
import { lifeCycle, type Transition } from "../../../lambdas/resources/tokens/life-cycle.ts";
import type { Call, Outcome, Tokens } from "../../../tools/simulation/life-cycle/life.ts";
import { perform } from "../../../tools/simulation/life-cycle/model.ts";
import { lifeStepsIn } from "../../../tools/simulation/life-cycle/phases.ts";
import { exploreStates } from "../../../tools/simulation/life-cycle/states.ts";

test("the model of a token's life has the steps between phases that the service's life cycle has, and no others", () => {
  const table = Object.entries<Transition>(lifeCycle).flatMap(([name, { from, to }]) =>
    from.length === 0 ? [`[*] -> ${to}: ${name}`] : from.map((phase) => `${phase} -> ${to}: ${name}`),
  );
  const scopes = [
    { tokens: 1, requests: 2 },
    { tokens: 2, requests: 1 },
  ];
  const observed = scopes
    .flatMap((scope) => exploreStates(scope).states)
    .flatMap((state) => state.transitions.flatMap((transition) => lifeStepsIn(state, transition)));
  const steps = new Set(observed.map(({ name, from = "[*]", to }) => `${from} -> ${to}: ${name}`));
  // The model has two addresses. Only a third one can ask to move while another one waits.
  steps.add("moving -> moving: ask_to_move");
  expect([...steps].toSorted()).toEqual(table.toSorted());
});

type Perform = typeof perform;

/** A service that behaves like the model, except for one mistake. */
const mistaken =
  (change: (tokens: Tokens, call: Call) => [Tokens, Call], spoil = (outcome: Outcome, _: Call) => outcome): Perform =>
  (tokens, call, scope) => {
    const outcome = perform(...change(tokens, call), scope);
    return outcome && spoil(outcome, call);
  };
const asCalled = (tokens: Tokens, call: Call): [Tokens, Call] => [tokens, call];

const withRequest =
  (decision: "confirmed" | null, isMeant: (decision: string | null) => boolean) =>
  (tokens: Tokens, call: Call): [Tokens, Call] => [
    tokens.map((token) => {
      const { request } = token;
      const isChanged = call.kind === "move" && request && isMeant(request.decision);
      return isChanged ? { ...token, request: { ...request, decision, completes: 2 } } : token;
    }),
    call,
  ];

describe("a mistake in the life of a token is noticed", () => {
  test.each<[string, Perform, promise: string]>([
    [
      "a confirmation ignores the address",
      mistaken((tokens, call) => {
        const ip = call.kind === "confirm" ? tokens[call.token]?.request?.ip : undefined;
        return [tokens, call.kind === "confirm" && ip ? { ...call, ip } : call];
      }),
      "a confirmation names the address and the code",
    ],
    [
      "a confirmation ignores the code",
      mistaken((tokens, call) => [tokens, call.kind === "confirm" ? { ...call, code: "current" } : call]),
      "a confirmation names the address and the code",
    ],
    [
      "a text can be derived after its first use",
      mistaken(asCalled, ({ tokens, answer }, call) => ({
        tokens: call.kind === "use" ? tokens.map((token) => ({ ...token, hasNonce: true })) : tokens,
        answer,
      })),
      "nothing stored opens a door",
    ],
    [
      "a text is repeated after its time",
      (tokens, call, scope) => {
        const outcome = perform(tokens, call, scope);
        const asBefore = (place: number) => ({ repeats: tokens[place]?.repeats ?? 0 });
        if (call.kind !== "wait") return outcome;
        return (
          outcome && { ...outcome, tokens: outcome.tokens.map((token, place) => ({ ...token, ...asBefore(place) })) }
        );
      },
      "a text is given again only while it is new and unused",
    ],
    [
      "an invitation is used twice, from two addresses",
      (tokens, call, scope) => {
        const isNew = tokens[0]?.isInvitation === false && tokens[0].repeats > 0;
        const isSecond = call.kind === "redeem" && isNew && call.from !== tokens[0]?.ip;
        return isSecond ? { tokens, answer: { status: 201, text: 0 } } : perform(tokens, call, scope);
      },
      "one address for each secret",
    ],
    [
      "a token moves without a confirmation",
      mistaken(withRequest("confirmed", (decision) => decision === null)),
      "no address without its confirmation",
    ],
    [
      "a rejected request can still be fulfilled",
      mistaken(withRequest("confirmed", (decision) => decision === "rejected")),
      "no address without its confirmation",
    ],
    [
      "a move leaves the old token active",
      mistaken(asCalled, ({ tokens, answer }, call) => ({
        tokens:
          call.kind === "move" && answer.status === 201 ? tokens.map((token) => ({ ...token, ends: null })) : tokens,
        answer,
      })),
      "a move ends the old token",
    ],
    [
      "a successor gets a lifetime of its own",
      mistaken(asCalled, ({ tokens, answer }, call) => ({
        tokens:
          call.kind === "rotate" ? tokens.map((token, place) => (place ? { ...token, ends: null } : token)) : tokens,
        answer,
      })),
      "an end that was set binds successors",
    ],
    [
      "a token cannot be revoked from elsewhere",
      (tokens, call, scope) =>
        call.kind === "leave" && call.from !== tokens[call.token]?.ip
          ? { tokens, answer: { status: 204 } }
          : perform(tokens, call, scope),
      "whoever has a token can end it",
    ],
    [
      "a replaced token is not revoked",
      (tokens, call, scope) =>
        call.kind === "revoke" && tokens[call.token]?.ends === 0
          ? { tokens, answer: { status: 200 } }
          : perform(tokens, call, scope),
      "a revocation also ends what the text still gives",
    ],
    [
      "a revoked token is accepted",
      mistaken((tokens, call) => [
        call.kind === "use" ? tokens.map((token) => ({ ...token, isRevoked: false })) : tokens,
        call,
      ]),
      "nothing is accepted after a revocation",
    ],
    [
      "a rotation cannot be repeated for as long",
      mistaken(asCalled, ({ tokens, answer }, call) => ({
        tokens:
          call.kind === "rotate" ? tokens.map((token) => ({ ...token, repeats: Math.min(1, token.repeats) })) : tokens,
        answer,
      })),
      "a new text can be requested again for 15 minutes",
    ],
    [
      "a rotation cannot be repeated",
      (tokens, call, scope) =>
        call.kind === "rotate" && tokens[call.token + 1]
          ? { tokens, answer: { status: 409, code: "token_already_rotated" } }
          : perform(tokens, call, scope),
      "a lost response does no harm",
    ],
  ])("%s", (_, act, promise) => {
    expect(exploreStates({ tokens: 2, requests: 1 }, act).broken?.promise).toBe(promise);
  });
});
