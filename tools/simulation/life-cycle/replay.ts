import { tables } from "../../../lambdas/resources/stores.ts";
import { maxAttempts } from "../../../lambdas/resources/tokens/address-request.ts";
import type { Answer } from "../answers.ts";
import { type Invocation, requestTo } from "../calls.ts";
import { createDatabase } from "../database/database.ts";
import { operations } from "../functions.ts";
import { fieldOf } from "../judges/outcome.ts";
import type { CreatePlant } from "../open-functions.ts";
import { doorProblem } from "./doors.ts";
import type { Address, Call, Scope, Tokens } from "./model.ts";
import { ipOf, recordProblem } from "./records.ts";
import type { ServiceState, Transition } from "./service-states.ts";
import { createStage, type Moment, type Stage } from "./stage.ts";
import type { Text } from "./world.ts";

/** The service in a state of the model: what is stored, and what people were told. */
export interface Reality {
  moment: Moment;
  /** By the place of the token; the invitation has that of the first. */
  ids: readonly string[];
  texts: ReadonlyMap<Text, string>;
  /** The code of the last request of each token. */
  codes: ReadonlyMap<number, string>;
}

/** A transition that the service makes differently. */
export interface Difference {
  problem: string;
  calls: Call[];
}

export interface Replayed {
  transitions: number;
  states: number;
  difference?: Difference;
}

const stepMilliseconds = 10 * 60 * 1000;
const dayMilliseconds = 25 * 60 * 60 * 1000;
/** A quarter of an hour: two steps. */
const graceSeconds = { 0: 0, 2: 900 } as const;
const invitationSeconds = 25 * 60;
const lifetimeMilliseconds = 24 * 60 * 60 * 1000;

const start: Reality = {
  moment: { database: createDatabase(tables), now: Date.UTC(2026, 10, 21, 10, 15) },
  ids: [],
  texts: new Map(),
  codes: new Map(),
};

interface ReplayOptions {
  scope: Scope;
  plant?: CreatePlant | undefined;
  /** Which transitions to make, besides those that lead to their states first: all of them unless given. */
  isWanted?: (from: ServiceState, transition: Transition) => boolean;
  onProgress?: (transitions: number) => void;
}

/** One stage serves so many calls; what it notes about them takes memory. */
const callsPerStage = 2_000;

/**
 * Makes the transitions of the model on the real functions, each once, from a state that the real functions have reached, and compares
 * every answer. Call it with the virtual globals.
 */
export const replay = async (states: readonly ServiceState[], options: ReplayOptions): Promise<Replayed> => {
  const { scope, plant, isWanted = () => true, onProgress } = options;
  const realities = new Map<ServiceState, Reality & { calls: Call[] }>();
  const first = firstWays(states);
  const wanted = wantedTransitions(states, { first, isWanted });
  let transitions = 0;
  let stage = createStage(plant);

  for (const state of states) {
    const reality = state.tokens.length === 0 ? { ...start, calls: [] } : realities.get(state);
    if (!reality) continue;
    for (const transition of wanted.get(state) ?? []) {
      transitions += 1;
      if (transitions % callsPerStage === 0) {
        stage = createStage(plant);
        onProgress?.(transitions);
      }
      const calls = [...reality.calls, transition.call];
      const made = await make(reality, transition, { stage, tokens: state.tokens, scope });
      const problem = typeof made === "string" ? made : recordProblem(made, transition.outcome.tokens);
      if (problem !== undefined) return { transitions, states: realities.size + 1, difference: { problem, calls } };
      if (typeof made === "string" || first.get(transition.to)?.transition !== transition) continue;
      const door = doorProblem(made, transition.to.tokens);
      if (door !== undefined) return { transitions, states: realities.size + 1, difference: { problem: door, calls } };
      realities.set(transition.to, { ...made, calls });
    }
    // Nothing leads back to a state as it was.
    if (state.tokens.length > 0) realities.set(state, { ...start, calls: [] });
  }
  return { transitions, states: realities.size + 1 };
};

interface Way {
  from: ServiceState;
  transition: Transition;
}

/** The first transition that leads to each state. */
const firstWays = (states: readonly ServiceState[]): Map<ServiceState, Way> => {
  const first = new Map<ServiceState, Way>();
  for (const from of states) {
    for (const transition of from.transitions) {
      if (!first.has(transition.to)) first.set(transition.to, { from, transition });
    }
  }
  return first;
};

interface WantedOptions {
  first: ReadonlyMap<ServiceState, Way>;
  isWanted: (from: ServiceState, transition: Transition) => boolean;
}

/** The transitions to make in each state: the wanted ones, and those on the first way to each of their states. */
const wantedTransitions = (
  states: readonly ServiceState[],
  { first, isWanted }: WantedOptions,
): Map<ServiceState, Transition[]> => {
  const wanted = new Map<ServiceState, Set<Transition>>();
  const add = (from: ServiceState, transition: Transition): void => {
    const already = wanted.get(from);
    if (already?.has(transition)) return;
    wanted.set(from, new Set([...(already ?? []), transition]));
    const way = from.tokens.length === 0 ? undefined : first.get(from);
    if (way && !wanted.get(way.from)?.has(way.transition)) add(way.from, way.transition);
  };
  for (const from of states)
    for (const transition of from.transitions) if (isWanted(from, transition)) add(from, transition);
  return new Map([...wanted].map(([from, transitions]) => [from, [...transitions]]));
};

interface Making {
  stage: Stage;
  tokens: Tokens;
  scope: Scope;
}

/** What is real after a transition, or how it differs from the model. */
const make = async (reality: Reality, { call, outcome }: Transition, making: Making): Promise<Reality | string> => {
  const { moment } = reality;
  if (call.kind === "wait") {
    const passed = call.until === "a step later" ? stepMilliseconds : dayMilliseconds;
    return { ...reality, moment: { ...moment, now: moment.now + passed } };
  }
  const prepared = await prepare(reality, { call, outcome }, making);
  const made = await making.stage.invoke(prepared, invocationOf(call, reality));
  return told({ ...reality, moment: made.moment }, { call, outcome }, made.answer);
};

/** Whether a call makes the first request of a day for a token. */
const isFirstRequest = ({ call, outcome }: Pick<Transition, "call" | "outcome">, tokens: Tokens): boolean => {
  const place = "token" in call ? call.token : 0;
  return outcome.answer.shows === "new code" && (tokens[place]?.request?.attempts ?? 0) === 0;
};

/** The model allows fewer requests than the service. Others, from many addresses, use up what is beyond that. */
const prepare = async (
  reality: Reality,
  transition: Pick<Transition, "call" | "outcome">,
  making: Making,
): Promise<Moment> => {
  const { stage, tokens, scope } = making;
  let { moment } = reality;
  if (!isFirstRequest(transition, tokens)) return moment;
  for (let request = scope.requests; request < maxAttempts; request += 1) {
    const invocation = invocationOf(transition.call, reality, `192.0.2.${request}`);
    ({ moment } = await stage.invoke(moment, invocation));
  }
  return moment;
};

const endpointNames = {
  redeem: "redeemInvitation",
  use: "getToken",
  rotate: "rotateToken",
  move: "moveToken",
  leave: "revokeToken",
};

const invocationOf = (call: Call, { ids, texts, codes, moment }: Reality, address?: string): Invocation => {
  if (call.kind === "wait") throw new Error("Time passes by itself.");
  if (!("from" in call)) return { functionName: "admin", event: adminEvent(call, { ids, codes, now: moment.now }) };
  const operation = operations.find(({ operationId }) => operationId === endpointNames[call.kind]);
  const text = texts.get(call.kind === "redeem" ? "invitation" : call.token);
  if (!operation || text === undefined) throw new Error(`${JSON.stringify(call)} cannot be made.`);
  const form = call.kind === "rotate" && { form: { grace_seconds: String(graceSeconds[call.grace]) } };
  return requestTo(operation, { requestId: "replayed", text, address: address ?? ipOf[call.from], ...form });
};

type AdminCall = Exclude<Call, { kind: "wait" } | { from: Address }>;

const adminEvent = (
  call: AdminCall,
  { ids, codes, now }: Pick<Reality, "ids" | "codes"> & { now: number },
): Record<string, unknown> => {
  if (call.kind === "invite" || call.kind === "issue") {
    const expires_at = call.isShort ? new Date(now + lifetimeMilliseconds).toISOString() : null;
    const valid = call.kind === "invite" && { valid_seconds: invitationSeconds };
    return { action: call.kind, ip: call.ip && ipOf[call.ip], expires_at, ...valid };
  }
  const token_id = ids[call.token];
  switch (call.kind) {
    case "revoke":
      return { action: "revoke", token_id };
    case "edit":
      return { action: "update", token_id, comment: "edited" };
    case "rotate for":
      return { action: "rotate", token_id, grace_seconds: graceSeconds[call.grace] };
    default: {
      const code = codes.get(call.token) ?? "333-333";
      const other = code === "777-777" ? "333-333" : "777-777";
      return { action: call.kind, token_id, ip: ipOf[call.ip], code: call.code === "current" ? code : other };
    }
  }
};

/** What is known after an answer, or how it differs from the model's. */
const told = (
  reality: Reality,
  { call, outcome }: Pick<Transition, "call" | "outcome">,
  answer: Answer,
): Reality | string => {
  const expected = outcome.answer;
  // Admin actions that are invoked directly have no status of their own.
  const isAsExpected =
    answer.code === expected.code &&
    ("from" in call ? answer.status === expected.status : answer.code !== undefined || answer.status < 300);
  if (!isAsExpected) {
    return `${answer.status} ${answer.code ?? ""} instead of ${expected.status} ${expected.code ?? ""}`;
  }
  const { ids, texts, codes } = reality;
  const text = fieldOf(answer.body, "token");
  const id = String(fieldOf(answer.body, "token_id"));
  if (call.kind === "invite") {
    const invitation = String(fieldOf(answer.body, "invitation_text"));
    return { ...reality, ids: [id], texts: new Map([["invitation", invitation]]) };
  }
  if (expected.text !== undefined) {
    const before = texts.get(expected.text);
    if (typeof text !== "string") return "no text instead of that of a token";
    if (before !== undefined && before !== text) return "another text than before";
    if ("from" in call && fieldOf(answer.body, "ip") !== ipOf[call.from]) return "a token for another address";
    return { ...reality, ids: ids.toSpliced(expected.text, 1, id), texts: new Map(texts).set(expected.text, text) };
  }
  if (text !== undefined) return "a text instead of none";
  if (expected.shows === undefined) return reality;
  const place = "token" in call ? call.token : 0;
  const code = String(fieldOf(answer.body, "code"));
  if ((codes.get(place) === code) !== (expected.shows === "same code"))
    return `the code ${code} instead of the ${expected.shows}`;
  return { ...reality, codes: new Map(codes).set(place, code) };
};
