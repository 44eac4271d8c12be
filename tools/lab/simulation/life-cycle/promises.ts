import { type Call, isEnded, type Outcome, placeOf, type Scope, type Token, type Tokens } from "./life.ts";
import type { perform } from "./model.ts";

/*
 * The promises about a token's life. They are checked for every call in every state of the model. A replay checks that the real
 * functions behave like the model.
 */

/** A call in a state, and its outcome. */
interface Performed {
  before: Tokens;
  call: Call;
  outcome: Outcome;
}

/** Returns whether a call breaks the promise. */
type Breaks = (performed: Performed) => boolean;

/** Steps in which a value can be requested again, which is about 15 minutes. */
const windowSteps = 2;

/** Checks whether the caller got something for a value: the token was accepted, or there is a successor or a request. */
const isAccepted = ({ call, outcome: { answer } }: Performed): boolean =>
  ["use", "redeem", "rotate own", "move"].includes(call.kind) && answer.status < 300;

const isRevocation = ({ kind }: Call): boolean => kind === "revoke" || kind === "leave";

/** Returns each token before and after a call. */
const pairsOf = ({ before, outcome: { tokens } }: Performed): { old: Token; now: Token; isReplaced: boolean }[] =>
  before.flatMap((old, place) => {
    const now = tokens[place];
    return now ? [{ old, now, isReplaced: tokens[place + 1] !== undefined }] : [];
  });

const isFirstText = ({ before, outcome: { answer } }: Performed): boolean =>
  answer.text !== undefined && before[answer.text]?.isInvitation !== false;

export const promises: Readonly<Record<string, Breaks>> = {
  "one address for each secret": (performed) => {
    const { call, outcome } = performed;
    const { answer, tokens } = outcome;
    const given = answer.text === undefined ? undefined : tokens[answer.text];
    const isElsewhere = "from" in call && given !== undefined && given.ip !== call.from;
    const isUsedElsewhere = call.kind === "use" && answer.status === 200 && call.as !== "itself";
    const isRebound = pairsOf(performed).some(({ old, now }) => !old.isInvitation && now.ip !== old.ip);
    return isElsewhere || isUsedElsewhere || isRebound;
  },
  "nothing is accepted after a revocation": (performed) => {
    const { before, call } = performed;
    const isRevived = pairsOf(performed).some(({ old, now }) => old.isRevoked && !now.isRevoked);
    return isRevived || (isAccepted(performed) && before[placeOf(call)]?.isRevoked === true);
  },
  "whoever has a token can end it": ({ call, outcome: { tokens, answer } }) => {
    const token = tokens[placeOf(call)];
    return call.kind === "leave" && (answer.status !== 204 || !token || !isEnded(token));
  },
  // An old token value might still yield the value of its successor.
  "a revocation also ends what the text still gives": (performed) => {
    const { call, outcome } = performed;
    if (!isRevocation(call) || outcome.answer.status >= 300) return false;
    const pair = pairsOf(performed)[placeOf(call)];
    return !pair || !isEnded(pair.now) || (pair.isReplaced && !pair.now.isRevoked);
  },
  "no address without its confirmation": (performed) => {
    const { before, call, outcome } = performed;
    if (outcome.answer.status !== 201 || (call.kind !== "redeem" && call.kind !== "move")) return false;
    const token = before[placeOf(call)];
    // An address that an admin has named needs no confirmation, and a repeated call was already confirmed.
    if (!isFirstText(performed) || (call.kind === "redeem" && token?.ip === call.from)) return false;
    const { request } = token ?? {};
    return request?.decision !== "confirmed" || request.ip !== call.from;
  },
  "a confirmation names the address and the code": ({ call, outcome }) =>
    (call.kind === "confirm" || call.kind === "reject") && outcome.answer.status === 200 && call.as !== "shown",
  "a text is given again only while it is new and unused": (performed) => {
    const { before, call, outcome } = performed;
    const { answer, tokens } = outcome;
    const again = answer.text === undefined || isFirstText(performed) ? undefined : before[answer.text];
    const isTooLate = "from" in call && again !== undefined && (again.repeats === 0 || isEnded(again));
    const isUsed = call.kind === "use" && answer.status === 200 && tokens[placeOf(call)]?.repeats !== 0;
    const isLonger = pairsOf(performed).some(({ old, now }) => {
      const left = call.kind === "wait" ? (call.until === "the next day" ? 0 : old.repeats - 1) : old.repeats;
      return !(old.isInvitation && !now.isInvitation) && now.repeats > Math.max(0, left);
    });
    return isTooLate || isUsed || isLonger;
  },
  "a new text can be requested again for 15 minutes": (performed) => {
    const { call, outcome } = performed;
    if (!isFirstText(performed) || !("from" in call)) return false;
    return outcome.tokens[outcome.answer.text ?? 0]?.repeats !== windowSteps;
  },
  "a move ends the old token": ({ outcome: { tokens } }) =>
    tokens.some((token, place) => tokens[place + 1]?.from === "move" && !isEnded(token)),
  "nothing stored opens a door": (performed) => {
    const { call, outcome } = performed;
    const isLeft = call.kind === "use" && outcome.answer.status === 200 && outcome.tokens[placeOf(call)]?.hasNonce;
    const isBack = pairsOf(performed).some(({ old, now }) => !old.isInvitation && !old.hasNonce && now.hasNonce);
    return isLeft === true || isBack;
  },
  "an end that was set binds successors": ({ before, outcome: { tokens } }) => {
    const ends = before.at(-1)?.ends ?? null;
    return tokens.length > before.length && ends !== null && (tokens.at(-1)?.ends ?? ends + 1) > ends;
  },
};

/** Returns the call that made a token, if its client can repeat that call. */
const callThatMade = ({ from, ip }: Token, place: number): Call | undefined => {
  if (ip === null) return undefined;
  if (from === "invitation") return { kind: "redeem", token: "setup", from: ip };
  if (from === "rotation") return { kind: "rotate own", token: place - 1, from: ip, graceSeconds: 0 };
  return from === "move" ? { kind: "move", token: place - 1, from: ip } : undefined;
};

/**
 * Checks whether a lost response can leave a client without a token. While a token is new and unused, the same call must return its
 * value again, and the token must work. This does not apply if the old token was revoked or the new token has a successor itself.
 */
export const losesText = (tokens: Tokens, scope: Scope, act: typeof perform): boolean =>
  tokens.some((token, place) => {
    const call = callThatMade(token, place);
    const isTaken = tokens[place + 1] !== undefined || tokens[place - 1]?.isRevoked;
    if (!call || token.repeats === 0 || isEnded(token) || isTaken) return false;
    const again = act(tokens, call, scope);
    if (again?.answer.text !== place) return true;
    return act(again.tokens, { kind: "use", token: place, as: "itself" }, scope)?.answer.status !== 200;
  });
