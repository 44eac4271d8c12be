import { type Address, type Answer, addresses, type Call, type Scope, type Tokens } from "./life.ts";
import { perform } from "./model.ts";

/*
 * The model with the people around it: a client, a thief who copies everything that the client has at one moment, and an admin. Answers
 * may be lost. It remembers what each of them was told, so that promises about that can be checked.
 */

/** The texts that somebody has: the invitation, and those of tokens by their places. */
export type Text = "invitation" | number;
export type Person = "client" | "thief";

/** Who was told what about a token. The service does not remember this. */
export interface Memory {
  /** The addresses that got the text, and those from which the token was accepted. */
  handedTo: readonly Address[];
  acceptedFrom: readonly Address[];
  /** Steps since its text was made. */
  age: number;
  /** Somebody was told that it is revoked. */
  isKnownRevoked: boolean;
  /** The address of the last request that an admin was told to have confirmed. */
  confirmed: Address | null;
}

export interface World {
  tokens: Tokens;
  memories: readonly Memory[];
  knows: Readonly<Record<Person, readonly Text[]>>;
  /** The thief has copied what the client had. */
  isCopied: boolean;
}

export type Event = { kind: "call"; call: Call; by: Person | "admin" | "time"; isLost: boolean } | { kind: "copy" };

export interface Step {
  event: Event;
  answer?: Answer | undefined;
  world: World;
}

export type Perform = typeof perform;

export const beginning: World = { tokens: [], memories: [], knows: { client: [], thief: [] }, isCopied: false };

const newMemory: Memory = { handedTo: [], acceptedFrom: [], age: 0, isKnownRevoked: false, confirmed: null };

/**
 * Everything that can happen next. The client calls from both addresses, the thief never from the client's first one.
 */
export function* nextSteps(world: World, scope: Scope, act: Perform = perform): Generator<Step> {
  for (const { call, by } of possibleCalls(world)) {
    const outcome = act(world.tokens, call, scope);
    if (!outcome) continue;
    const { tokens, answer } = outcome;
    const told = (isLost: boolean): Step => ({
      event: { kind: "call", call, by, isLost },
      answer,
      world: remember({ ...world, tokens }, { call, by, answer, isLost }),
    });
    yield told(false);
    if (answer.text !== undefined || isRevocation(call)) yield told(true);
  }
  if (!world.isCopied && world.knows.client.length > 0) {
    const { client } = world.knows;
    yield { event: { kind: "copy" }, world: { ...world, isCopied: true, knows: { client, thief: client } } };
  }
}

export const beginnings: readonly Call[] = [
  { kind: "invite", ip: null, isShort: false },
  { kind: "invite", ip: "one", isShort: true },
  { kind: "issue", ip: "one", isShort: false },
];

interface Attributed {
  call: Call;
  by: Person | "admin" | "time";
}

function* possibleCalls({ tokens, knows }: World): Generator<Attributed> {
  if (tokens.length === 0) {
    for (const call of beginnings) yield { by: "admin", call };
    return;
  }
  for (const until of ["a step later", "the next day"] as const) yield { by: "time", call: { kind: "wait", until } };
  for (const [token] of tokens.entries()) for (const call of adminCalls(token)) yield { by: "admin", call };
  for (const text of knows.client) {
    for (const from of addresses) for (const call of callsWith(text, from)) yield { by: "client", call };
  }
  for (const text of knows.thief) for (const call of callsWith(text, "two")) yield { by: "thief", call };
}

const isRevocation = (call: Call): call is Extract<Call, { kind: "revoke" | "end soon" | "leave" }> =>
  call.kind === "revoke" || call.kind === "leave";

/** The calls of an admin about a token. */
export function* adminCalls(token: number): Generator<Call> {
  yield { kind: "revoke", token };
  yield { kind: "end soon", token };
  for (const grace of [0, 2] as const) yield { kind: "rotate for", token, grace };
  for (const kind of ["confirm", "reject"] as const) {
    for (const ip of addresses) for (const code of ["current", "other"] as const) yield { kind, token, ip, code };
  }
}

/** The calls with a text from an address. */
export function* callsWith(text: Text, from: Address): Generator<Call> {
  if (text === "invitation") yield { kind: "redeem", from };
  else {
    for (const kind of ["use", "move", "leave"] as const) yield { kind, token: text, from };
    for (const grace of [0, 2] as const) yield { kind: "rotate", token: text, from, grace };
  }
}

const withOne = <Value>(values: readonly Value[], one: Value): readonly Value[] =>
  values.includes(one) ? values : [...values, one].toSorted();

/** What people know after a call. A lost answer reaches nobody, but a text in it still counts as handed out. */
const remember = (
  world: World,
  { call, by, answer, isLost }: Attributed & { answer: Answer; isLost: boolean },
): World => {
  const memories = world.tokens.map((_, place) => world.memories[place] ?? newMemory);
  const note = (place: number, changes: Partial<Memory>): void => {
    memories[place] = { ...(memories[place] ?? newMemory), ...changes };
  };
  if (call.kind === "wait") {
    for (const [place, { age }] of memories.entries())
      note(place, { age: call.until === "the next day" ? 2 : Math.min(2, age + 1) });
  }
  if (answer.shows === "new code") note("token" in call ? call.token : 0, { confirmed: null });
  if (answer.text !== undefined && "from" in call) {
    const { handedTo = [], age = 0 } = memories[answer.text] ?? {};
    note(answer.text, { handedTo: withOne(handedTo, call.from), age: handedTo.length === 0 ? 0 : age });
  }
  if (call.kind === "use" && answer.status === 200) {
    note(call.token, { acceptedFrom: withOne(memories[call.token]?.acceptedFrom ?? [], call.from) });
  }
  if (call.kind === "confirm" && answer.status === 200) note(call.token, { confirmed: call.ip });
  const isTold = !isLost && answer.status < 300;
  if (isRevocation(call) && isTold) note(call.token, { isKnownRevoked: true });

  const text = call.kind === "invite" ? "invitation" : answer.text;
  const { client, thief } = world.knows;
  if (text === undefined || isLost) return { ...world, memories };
  const knows = by === "thief" ? { client, thief: withOne(thief, text) } : { client: withOne(client, text), thief };
  return { ...world, memories, knows };
};
