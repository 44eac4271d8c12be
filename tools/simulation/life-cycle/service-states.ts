import {
  addresses,
  type Call,
  isEnded,
  type Outcome,
  type Request,
  type Scope,
  type Token,
  type Tokens,
} from "./life.ts";
import { perform } from "./model.ts";
import { adminCalls, beginnings, callsWith } from "./world.ts";

/** A state of the service in the model, and all transitions from it. */
export interface ServiceState {
  tokens: Tokens;
  transitions: Transition[];
}

export interface Transition {
  call: Call;
  outcome: Outcome;
  to: ServiceState;
}

/** All states of the service that can be reached, the nearest first, no matter who knows which text. */
export const serviceStates = (scope: Scope): ServiceState[] => {
  const states: ServiceState[] = [];
  const known = new Map<string, ServiceState>();
  const stateOf = (tokens: Tokens): ServiceState => {
    const key = keyOf(tokens);
    const state = known.get(key) ?? { tokens, transitions: [] };
    if (!known.has(key)) states.push(state);
    known.set(key, state);
    return state;
  };
  stateOf([]);
  for (const { tokens, transitions } of states) {
    for (const call of callsIn(tokens)) {
      const outcome = perform(tokens, call, scope);
      if (outcome) transitions.push({ call, outcome, to: stateOf(outcome.tokens) });
    }
  }
  return states;
};

function* callsIn(tokens: Tokens): Generator<Call> {
  if (tokens.length === 0) {
    yield* beginnings;
    return;
  }
  for (const until of ["a step later", "the next day"] as const) yield { kind: "wait", until };
  for (const token of tokens.keys()) yield* adminCalls(token);
  for (const from of addresses) {
    for (const text of ["invitation", ...tokens.keys()] as const) yield* callsWith(text, from);
  }
}

/** A text that two states share only if no future step can distinguish them. */
const keyOf = (tokens: Tokens): string =>
  JSON.stringify(tokens.map((token, place) => tokenKey(token, tokens.length > place + 1)));

/** The part of a token's state that still matters. */
export const tokenKey = (token: Token, hasSuccessor: boolean): unknown[] => {
  const { from, ip, isInvitation, isShort, ends, isRevoked, repeats, hasNonce } = token;
  const isOver = isEnded(token);
  const hasAddress = hasSuccessor ? !isRevoked : !isOver;
  // Only a token without an end of its own still ends with its day.
  const isDaily = isShort && (isInvitation ? !isOver : ends === null);
  const begun = [from, hasAddress && ip, isInvitation, isDaily, isRevoked || ends];
  return [...begun, ...(isOver ? [] : [repeats, hasNonce]), requestKey(token, isOver || hasSuccessor)];
};

/** If a request can no longer be decided or used, only its decision still matters. */
const requestKey = ({ request, isInvitation }: { request: Request | null; isInvitation: boolean }, isOver: boolean) => {
  if (!request) return null;
  const { ip, waits, decision, completes, attempts } = request;
  if (decision === null) return isOver ? null : waits === 0 ? [attempts] : [ip, waits, attempts];
  return isOver ? [ip, decision] : [ip, decision, isInvitation ? 0 : completes, attempts];
};
