import { type Address, type Answer, type Call, isEnded, type Scope } from "./life.ts";
import type { Memory, Perform, Step, World } from "./world.ts";

/** What is promised of everything that can happen. Each returns the problem of a step, if it has one. */
type Promised = (before: World, step: Step) => string | undefined;

const callOf = ({ event }: Step): Call | undefined => (event.kind === "call" ? event.call : undefined);

/** A caller got something for a text: the token was accepted, or there is a successor, or a request. */
const isAccepted = (call: Call, { status }: Answer): boolean =>
  ["use", "redeem", "rotate", "move"].includes(call.kind) && status < 300;

const placeOf = (call: Call): number => ("token" in call ? call.token : 0);

const oneAddress: Promised = (_, { world }) => {
  const place = world.memories.findIndex(
    ({ handedTo, acceptedFrom }) => new Set([...handedTo, ...acceptedFrom]).size > 1,
  );
  return place < 0 ? undefined : `Token ${place} has two addresses.`;
};

const nothingAfterRevocation: Promised = ({ memories }, step) => {
  const call = callOf(step);
  if (!call || !step.answer || !isAccepted(call, step.answer)) return undefined;
  return memories[placeOf(call)]?.isKnownRevoked ? `${call.kind} was accepted after a revocation.` : undefined;
};

const nothingWithoutConfirmation: Promised = (before, step) => {
  const call = callOf(step);
  const { answer } = step;
  if (!call || answer?.status !== 201 || (call.kind !== "redeem" && call.kind !== "move")) return undefined;
  const place = placeOf(call);
  // An address that an admin has named needs no confirmation, and a repeated call has already had one.
  const { handedTo = [] } = before.memories[answer.text ?? 0] ?? {};
  if (handedTo.length > 0 || (call.kind === "redeem" && before.tokens[0]?.ip === call.from)) return undefined;
  const { confirmed } = before.memories[place] ?? {};
  return confirmed === call.from ? undefined : `A ${call.kind} from ${call.from} that nobody has confirmed.`;
};

/** A confirmation counts only if it names the address and the code of the current request. */
const exactConfirmation: Promised = ({ tokens }, step) => {
  const call = callOf(step);
  if ((call?.kind !== "confirm" && call?.kind !== "reject") || step.answer?.status !== 200) return undefined;
  const isExact = call.code === "current" && tokens[call.token]?.request?.ip === call.ip;
  return isExact ? undefined : `A request was decided with another address or code.`;
};

const nothingForTheSecondUse: Promised = ({ memories }, step) => {
  const call = callOf(step);
  const { answer } = step;
  if (!call || answer?.text === undefined || !("from" in call)) return undefined;
  const { handedTo, acceptedFrom, age } = memories[answer.text] ?? {};
  if (!handedTo || handedTo.length === 0) return undefined;
  if (!handedTo.includes(call.from)) return `${call.kind} gave a text to a second address.`;
  if (acceptedFrom?.length) return `${call.kind} gave a text again after its first use.`;
  return age === 2 ? `${call.kind} gave a text again after 15 minutes.` : undefined;
};

/** After a move, the old token no longer works. */
const oneTokenAfterMove: Promised = (_, { world: { tokens } }) => {
  const place = tokens.findIndex((token, index) => tokens[index + 1]?.from === "move" && !isEnded(token));
  return place < 0 ? undefined : `Token ${place} works after its move.`;
};

/** Once a token is used, nothing is left in its record from which an older text gives its text. */
const nothingToDerive: Promised = (_, { world }) => {
  const place = world.tokens.findIndex(
    ({ hasNonce }, index) => hasNonce && (world.memories[index]?.acceptedFrom.length ?? 0) > 0,
  );
  return place < 0 ? undefined : `The text of token ${place} can be derived after its first use.`;
};

/** Whoever has a token can always end it, from any address. */
const alwaysRevocable: Promised = (_, step) => {
  const call = callOf(step);
  if (call?.kind !== "leave") return undefined;
  const token = step.world.tokens[call.token];
  return step.answer?.status === 204 && token && isEnded(token) ? undefined : "A token was not revoked by its holder.";
};

/** Whoever was rejected cannot redeem or move until the next day, unless there has been another request. */
const rejectionHolds: Promised = ({ tokens }, step) => {
  const call = callOf(step);
  if ((call?.kind !== "redeem" && call?.kind !== "move") || step.answer?.status !== 201) return undefined;
  if (tokens[step.answer.text ?? 0]?.isInvitation === false) return undefined;
  const request = tokens[placeOf(call)]?.request;
  return request?.ip === call.from && request.decision === "rejected" ? "A rejected request was fulfilled." : undefined;
};

/** An end that an admin has set ends what comes after it, too. */
const nothingOutlivesItsEnd: Promised = ({ tokens: before }, { world: { tokens } }) => {
  const ends = before.at(-1)?.ends ?? null;
  const isOutlived = tokens.length > before.length && ends !== null && (tokens.at(-1)?.ends ?? ends + 1) > ends;
  return isOutlived ? `Token ${tokens.length - 1} outlives the end of the one before.` : undefined;
};

export const promises: Readonly<Record<string, Promised>> = {
  "one address for each secret": oneAddress,
  "nothing is accepted after an acknowledged revocation": nothingAfterRevocation,
  "no address without its confirmation": nothingWithoutConfirmation,
  "a confirmation names the address and the code": exactConfirmation,
  "a second use gives nothing": nothingForTheSecondUse,
  "a move ends the old token": oneTokenAfterMove,
  "nothing stored opens a door": nothingToDerive,
  "whoever has a token can end it": alwaysRevocable,
  "a rejection holds": rejectionHolds,
  "an end that was set binds successors": nothingOutlivesItsEnd,
};

/** How a text was made, if its client can request it again: the call, and who must not have ended it meanwhile. */
const callThatMade = ({ tokens }: World, place: number): (Call & { from: Address }) | undefined => {
  const token = tokens[place];
  if (!token?.ip || token.isInvitation) return undefined;
  const { ip: from } = token;
  if (token.from === "invitation") return { kind: "redeem", from };
  if (token.from === "rotation") return { kind: "rotate", token: place - 1, from, grace: 0 };
  return token.from === "move" ? { kind: "move", token: place - 1, from } : undefined;
};

const isOpen = ({ acceptedFrom, age, isKnownRevoked }: Memory): boolean =>
  acceptedFrom.length === 0 && age < 2 && !isKnownRevoked;

/**
 * A lost answer never leaves a client without a token: while a text is new and unused, the same call gives it again, and it works.
 * Returns the problem of a world that breaks this.
 */
export const lostAnswerProblem = (world: World, scope: Scope, act: Perform): string | undefined => {
  for (const [place, memory] of world.memories.entries()) {
    const call = callThatMade(world, place);
    const token = world.tokens[place];
    // Whoever rotates a token has its successor, and whoever revokes the old one ends what it gives.
    const isTaken = world.tokens[place + 1] !== undefined || world.tokens[place - 1]?.isRevoked;
    const isWanted = token && !isEnded(token) && !isTaken;
    if (!call || !isWanted || !isOpen(memory)) continue;
    const again = act(world.tokens, call, scope);
    if (again?.answer.text !== place) return `The text of token ${place} was lost with the answer to ${call.kind}.`;
    const used = act(again.tokens, { kind: "use", token: place, from: call.from }, scope);
    if (used?.answer.status !== 200) return `The text of token ${place} does not work.`;
  }
  return undefined;
};
