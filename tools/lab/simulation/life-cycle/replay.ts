import { tables } from "../../../../lambdas/domain/built-in-stores.ts";
import { maxAttempts } from "../../../../lambdas/domain/tokens/address-request.ts";
import { type Invocation, invocationOf, requestIdOf } from "../calls.ts";
import { createDatabase } from "../database/database.ts";
import { fieldOf } from "../judges/outcome.ts";
import { loadService } from "../load-service.ts";
import { type Answer, addressOf, type Situation } from "../situation.ts";
import { withVirtualGlobals } from "../world/virtual-globals.ts";
import { type Call, phaseIn, placeOf, type Scope, type Tokens } from "./life.ts";
import { doorProblem, type Moment, type Reality, recordProblem } from "./records.ts";
import { createStage, type Stage } from "./stage.ts";
import type { ServiceState, Transition } from "./states.ts";

/** A transition in which the service differs from the model. */
interface Difference {
  problem: string;
  calls: Call[];
}

interface Replayed {
  transitions: number;
  states: number;
  difference?: Difference;
}

const stepMilliseconds = 10 * 60 * 1000;
const dayMilliseconds = 25 * 60 * 60 * 1000;

const start: Reality = {
  moment: { database: createDatabase(tables), now: Date.UTC(2026, 10, 21, 10, 15) },
  ids: [],
  texts: new Map(),
  codes: new Map(),
};

interface ReplayOptions {
  scope: Scope;
  plant?: string | undefined;
  /** Whether all transitions are made. Otherwise one of each kind is made, after the transitions that first lead to its state. */
  isComplete: boolean;
  onProgress?: (transitions: number) => void;
}

/** The number of calls that one stage serves. It is limited because recording the calls takes memory. */
const callsPerStage = 2_000;

/**
 * Replays the transitions of the model on the real functions, each once, from a state that the real functions have reached.
 * Compares every response with the model's.
 */
export const replayStates = (states: readonly ServiceState[], options: ReplayOptions): Promise<Replayed> =>
  withVirtualGlobals(() => replay(states, options));

const replay = async (states: readonly ServiceState[], options: ReplayOptions): Promise<Replayed> => {
  const { scope, plant, isComplete, onProgress } = options;
  const realities = new Map<ServiceState, Reality & { calls: Call[] }>();
  const wanted = wantedTransitions(states, isComplete ? () => true : oneOfEachKind());
  let transitions = 0;
  let reached = 1;
  const [service] = await loadService({ plant });
  let stage = createStage(service);

  for (const state of states) {
    const reality = state.tokens.length === 0 ? { ...start, calls: [] } : realities.get(state);
    if (!reality) continue;
    for (const transition of state.transitions.filter((one) => wanted.has(one))) {
      transitions += 1;
      if (transitions % callsPerStage === 0) {
        stage = createStage(service);
        onProgress?.(transitions);
      }
      const calls = [...reality.calls, transition.call];
      const made = await make(reality, transition, { stage, tokens: state.tokens, scope });
      const problem = typeof made === "string" ? made : recordProblem(made, transition.outcome.tokens);
      if (problem !== undefined) return { transitions, states: reached, difference: { problem, calls } };
      if (typeof made === "string" || transition.to.by?.transition !== transition) continue;
      const door = doorProblem(made, transition.to.tokens);
      if (door !== undefined) return { transitions, states: reached, difference: { problem: door, calls } };
      realities.set(transition.to, { ...made, calls });
      reached += 1;
    }
    // The first path to a state never begins in a later state, so this reality is no longer needed.
    realities.delete(state);
  }
  return { transitions, states: reached };
};

/** Returns the wanted transitions, and the transitions on the first path to each of their states. */
const wantedTransitions = (
  states: readonly ServiceState[],
  isWanted: (from: ServiceState, transition: Transition) => boolean,
): ReadonlySet<Transition> => {
  const wanted = new Set<Transition>();
  for (const state of states) {
    for (const transition of state.transitions.filter((one) => isWanted(state, one))) {
      wanted.add(transition);
      for (let way = state.by; way; way = way.from.by) wanted.add(way.transition);
    }
  }
  return wanted;
};

/**
 * Selects one transition of each kind: each call with each response, in each combination of phases. For calls that return a token
 * value, the kind also depends on whether the value can still be requested again or derived.
 */
const oneOfEachKind = (): ((from: ServiceState, transition: Transition) => boolean) => {
  const seen = new Set<string>();
  return ({ tokens }, { call, outcome: { answer } }) => {
    const isAboutText = call.kind === "redeem" || call.kind === "rotate own" || call.kind === "move";
    const places = tokens.map((token, place) => {
      const phase = phaseIn(token, tokens.length > place + 1);
      return isAboutText ? `${phase} ${token.repeats > 0} ${token.hasNonce}` : phase;
    });
    const kind = `${Object.values(call)} ${Object.values(answer)} ${places}`;
    if (seen.has(kind)) return false;
    seen.add(kind);
    return true;
  };
};

interface Making {
  stage: Stage;
  tokens: Tokens;
  scope: Scope;
}

/** Makes a transition. Returns the real state after it, or its difference from the model. */
const make = async (reality: Reality, { call, outcome }: Transition, making: Making): Promise<Reality | string> => {
  const { moment } = reality;
  if (call.kind === "wait") {
    const passed = call.until === "a step later" ? stepMilliseconds : dayMilliseconds;
    return { ...reality, moment: { ...moment, now: moment.now + passed } };
  }
  const invoke = (before: Moment, address?: string) =>
    making.stage.invoke(before, invocationIn(reality, making.tokens, call, address));
  let before = moment;
  if (isFirstRequest({ call, outcome }, making.tokens)) {
    // Uses up the requests that the service allows beyond the model's limit, from other addresses.
    for (let request = making.scope.requests; request < maxAttempts; request += 1)
      before = (await invoke(before, `192.0.2.${request}`)).moment;
  }
  const made = await invoke(before);
  return told({ ...reality, moment: made.moment }, { call, outcome }, made.answer);
};

const invocationIn = (
  { ids, texts, codes, moment: { now } }: Reality,
  tokens: Tokens,
  call: Exclude<Call, { kind: "wait" }>,
  address: string | undefined,
): Invocation => {
  const situation: Situation = {
    tokenOf(reference) {
      const isInvitation = typeof reference !== "number";
      const place = isInvitation ? 0 : reference;
      const text = texts.get(isInvitation ? "invitation" : place) ?? "";
      return { token_id: ids[place] ?? "", text, ip: addressOf(tokens[place]?.ip ?? "home"), isInvitation };
    },
    requestOf: (place) => ({
      token_id: ids[place] ?? "",
      ip: addressOf(tokens[place]?.request?.ip ?? "home"),
      code: codes.get(place) ?? "777-777",
    }),
    nextPageOf: () => undefined,
    now: () => now,
    start: now,
  };
  const invocation = invocationOf(call, { requestId: requestIdOf(0), situation, address });
  if (!invocation) throw new Error(`${JSON.stringify(call)} cannot be made.`);
  return invocation;
};

/** Checks whether a call makes the first request of a day for a token. */
const isFirstRequest = ({ call, outcome }: Pick<Transition, "call" | "outcome">, tokens: Tokens): boolean => {
  const place = placeOf(call);
  return outcome.answer.shows === "new code" && (tokens[place]?.request?.attempts ?? 0) === 0;
};

/** Returns what is known after a response, or how the response differs from the model's. */
const told = (
  reality: Reality,
  { call, outcome }: Pick<Transition, "call" | "outcome">,
  answer: Answer,
): Reality | string => {
  const expected = outcome.answer;
  // Directly invoked admin actions have no status.
  const hasStatus = "from" in call || call.kind === "use";
  const isAsExpected =
    answer.code === expected.code &&
    (hasStatus ? answer.status === expected.status : answer.code !== undefined || answer.status < 300);
  if (!isAsExpected) return `${outcomeText(answer)} instead of ${outcomeText(expected)}`;
  const { ids, texts, codes } = reality;
  const text = fieldOf(answer.body, "token");
  const id = String(fieldOf(answer.body, "token_id"));
  if (call.kind === "invite") {
    const invitation = String(fieldOf(answer.body, "invitation_text"));
    return { ...reality, ids: [id], texts: new Map([["invitation", invitation]]) };
  }
  if (expected.text !== undefined) {
    const before = texts.get(expected.text);
    if (typeof text !== "string") return "no value instead of a token's";
    if (before !== undefined && before !== text) return "another value than before";
    if ("from" in call && fieldOf(answer.body, "ip") !== addressOf(call.from)) return "a token for another address";
    return { ...reality, ids: ids.toSpliced(expected.text, 1, id), texts: new Map(texts).set(expected.text, text) };
  }
  if (text !== undefined) return "a value instead of none";
  if (expected.shows === undefined) return reality;
  const place = placeOf(call);
  const code = String(fieldOf(answer.body, "code"));
  if ((codes.get(place) === code) !== (expected.shows === "same code"))
    return `the code ${code} instead of the ${expected.shows}`;
  return { ...reality, codes: new Map(codes).set(place, code) };
};

const outcomeText = ({ status, code }: Pick<Answer, "status" | "code">): string =>
  code === undefined ? String(status) : `${status} ${code}`;
