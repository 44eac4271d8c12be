import {
  type Call,
  callsIn,
  isEnded,
  type Outcome,
  type Request,
  type Scope,
  type Token,
  type Tokens,
} from "./life.ts";
import { perform } from "./model.ts";

/** A state of the service in the model, and all transitions from it. */
export interface ServiceState {
  tokens: Tokens;
  transitions: Transition[];
  /** The transition by which the state was reached first. */
  by?: { from: ServiceState; transition: Transition };
}

export interface Transition {
  call: Call;
  outcome: Outcome;
  to: ServiceState;
}

interface Explored {
  /** The states, nearest first. */
  states: ServiceState[];
  transitions: number;
}

/** Visits all reachable states. */
export const exploreStates = (scope: Scope): Explored => {
  const first: ServiceState = { tokens: [], transitions: [] };
  const states = [first];
  const known = new Map([[keyOf([]), first]]);
  let transitions = 0;
  for (const state of states) {
    const { tokens } = state;
    for (const call of callsIn(tokens)) {
      const outcome = perform(tokens, call, scope);
      if (!outcome) continue;
      transitions += 1;
      const key = keyOf(outcome.tokens);
      const to: ServiceState = known.get(key) ?? { tokens: outcome.tokens, transitions: [] };
      const transition = { call, outcome, to };
      state.transitions.push(transition);
      if (known.has(key)) continue;
      to.by = { from: state, transition };
      known.set(key, to);
      states.push(to);
    }
  }
  return { states, transitions };
};

/** Returns the same string for two states only if no future step can distinguish them. */
const keyOf = (tokens: Tokens): string =>
  JSON.stringify(tokens.map((token, place) => tokenKey(token, tokens.length > place + 1)));

/** Returns the part of a token's state that still matters. */
const tokenKey = (token: Token, hasSuccessor: boolean): unknown[] => {
  const { from, ip, isInvitation, isShort, ends, isRevoked, repeats, hasNonce } = token;
  const isOver = isEnded(token);
  const hasAddress = hasSuccessor ? !isRevoked : !isOver;
  // Only a token without its own end still ends with its day.
  const isDaily = isShort && (isInvitation ? !isOver : ends === null);
  const begun = [from, hasAddress && ip, isInvitation, isDaily, isRevoked || ends];
  return [...begun, ...(isOver ? [] : [repeats, hasNonce]), requestKey(token, isOver || hasSuccessor)];
};

/** Returns the part of a request that still matters. If the request can no longer be decided or used, only its decision matters. */
const requestKey = ({ request, isInvitation }: { request: Request | null; isInvitation: boolean }, isOver: boolean) => {
  if (!request) return null;
  const { ip, waits, decision, completes, attempts } = request;
  if (decision === null) return isOver ? null : waits === 0 ? [attempts] : [ip, waits, attempts];
  return isOver ? [ip, decision] : [ip, decision, isInvitation ? 0 : completes, attempts];
};
