/*
 * A model of a token's life as the documentation promises it. It covers two addresses, and one invitation or token with its
 * successors. It shares no code with the service, so that each checks the other.
 *
 * Time passes in steps of ten minutes or of a day. 15 minutes count as two steps.
 */

import type { Place } from "../schedule.ts";
import {
  type Call,
  isEnded,
  type Outcome,
  placeOf,
  type Request,
  type Scope,
  type Token,
  type Tokens,
} from "./life.ts";

const windowSteps = 2;
const invitationSteps = 3;

const newToken: Token = {
  from: "chance",
  ip: null,
  isInvitation: false,
  isShort: false,
  ends: null,
  isRevoked: false,
  repeats: 0,
  hasNonce: false,
  request: null,
};

const refusal = (tokens: Tokens, status: number, code: string): Outcome => ({ tokens, answer: { status, code } });

/** Returns the effect of a call and its response, or `undefined` if the call cannot be made or would leave the scope. */
export const perform = (tokens: Tokens, call: Call, scope: Scope): Outcome | undefined => {
  if (call.kind === "invite" || call.kind === "issue") return tokens.length === 0 ? begin(call) : undefined;
  if (call.kind === "wait") return { tokens: tokens.map((token) => after(token, call.until)), answer: { status: 200 } };
  const place = placeOf(call);
  const token = tokens[place];
  if (!token) return undefined;
  const it: Subject = { tokens, place, token, scope };
  if (call.kind === "redeem")
    return token.isInvitation || token.from === "invitation" ? redeem(it, call.from) : undefined;
  if (call.kind === "confirm" || call.kind === "reject") return decide(it, call);
  if (call.kind === "revoke") return { tokens: withRevoked(it), answer: { status: 200 } };
  if (call.kind === "update") return endSoon(it);
  if (call.kind === "rotate") return rotateFor(it, call.graceSeconds);
  // Nobody has the value of a token that does not exist yet.
  if (token.isInvitation) return undefined;
  switch (call.kind) {
    case "use":
      return use(it, call.as === "itself");
    case "rotate own":
      return rotate(it, call);
    case "move":
      return move(it, call.from);
    case "leave":
      return { tokens: withRevoked(it), answer: { status: 204 } };
  }
};

interface Subject {
  tokens: Tokens;
  place: number;
  token: Token;
  scope: Scope;
}

const isActive = (token: Token): boolean => !token.isInvitation && !isEnded(token);

const begin = (call: Extract<Call, { kind: "invite" | "issue" }>): Outcome => {
  if (call.kind === "issue") return { tokens: [{ ...newToken, ip: "home" }], answer: { status: 200, text: 0 } };
  const ip = call.isKnown ? "home" : null;
  const invitation: Token = { ...newToken, ip, isShort: call.isKnown, isInvitation: true, ends: invitationSteps };
  return { tokens: [invitation], answer: { status: 201 } };
};

const stepsOf = (graceSeconds: number): number => (graceSeconds > 0 ? windowSteps : 0);

const sooner = (steps: number): number => Math.max(0, steps - 1);

const after = (token: Token, until: "a step later" | "the next day"): Token => {
  const { ends, repeats, request, isShort, isInvitation } = token;
  if (until === "a step later") {
    const later = request && { ...request, waits: sooner(request.waits), completes: sooner(request.completes) };
    return { ...token, ends: ends && sooner(ends), repeats: sooner(repeats), request: later };
  }
  const isOver = ends !== null || (isShort && !isInvitation);
  const forgotten = request && { ...request, waits: 0, completes: 0, attempts: 0 };
  return { ...token, ends: isOver ? 0 : null, repeats: 0, request: forgotten };
};

const withToken = ({ tokens, place }: Subject, token: Token): Tokens => tokens.with(place, token);

/**
 * Returns the tokens after a revocation. An expired token stays unchanged, unless it has a successor. In that case, its value might
 * still yield the successor's value, which must end with the revocation.
 */
const withRevoked = (it: Subject): Tokens => {
  const hasExpired = it.token.ends === 0 && !it.tokens[it.place + 1];
  return hasExpired ? it.tokens : withToken(it, { ...it.token, isRevoked: true, hasNonce: false });
};

/**
 * Brings the end of a token forward on behalf of an admin. While a token has no successor, the model counts the steps until
 * its end only if an admin has set the end.
 */
const endSoon = (it: Subject): Outcome => {
  const { tokens, token } = it;
  if (!isActive(token)) return refusal(tokens, 409, "token_not_active");
  if (tokens[it.place + 1]) return refusal(tokens, 409, "token_already_rotated");
  return { tokens: withToken(it, { ...token, ends: windowSteps, isShort: false }), answer: { status: 200 } };
};

const redeem = (it: Subject, from: Place): Outcome => {
  const { tokens, token } = it;
  if (token.isRevoked) return refusal(tokens, 401, "invitation_revoked");
  if (!token.isInvitation) {
    const isRepeated = token.ip === from && canBeRepeated(token);
    return isRepeated ? { tokens, answer: { status: 201, text: 0 } } : refusal(tokens, 401, "invitation_used");
  }
  if (token.ends === 0) return refusal(tokens, 401, "invitation_expired");
  const confirmed = token.request?.decision === "confirmed" ? token.request.ip : null;
  const expected = token.ip ?? confirmed;
  if (expected === null) return ask(it, from);
  if (expected !== from) return refusal(tokens, 403, "ip_not_allowed");
  const redeemed = { ...made("invitation", from), isShort: token.isShort, request: token.request };
  return { tokens: withToken(it, redeemed), answer: { status: 201, text: 0 } };
};

/** Returns a new token whose secret is derived from the value that its client sent. */
const made = (from: "invitation" | "rotation" | "move", ip: Place): Token => ({
  ...newToken,
  from,
  ip,
  repeats: windowSteps,
  hasNonce: true,
});

const canBeRepeated = (token: Token): boolean => token.repeats > 0 && !isEnded(token);

/** Asks for the confirmation of an address. */
const ask = (it: Subject, from: Place): Outcome => {
  const { tokens, token, scope } = it;
  const { request } = token;
  if (request?.ip === from) {
    if (request.decision === "rejected" && request.attempts > 0) return refusal(tokens, 403, "request_rejected");
    if (request.decision === null && request.waits > 0) return { tokens, answer: { status: 202, shows: "same code" } };
  }
  const attempts = (request?.attempts ?? 0) + 1;
  if (attempts > scope.requests) return refusal(tokens, 429, "too_many_requests");
  const asked: Request = { ip: from, waits: windowSteps, decision: null, completes: 0, attempts };
  return { tokens: withToken(it, { ...token, request: asked }), answer: { status: 202, shows: "new code" } };
};

const decide = (it: Subject, { kind, as }: Extract<Call, { kind: "confirm" | "reject" }>): Outcome => {
  const { tokens, token } = it;
  const { request } = token;
  const decision = kind === "confirm" ? "confirmed" : "rejected";
  if (isEnded(token)) return refusal(tokens, 409, "token_not_active");
  if (!request || as !== "shown") return refusal(tokens, 409, "request_changed");
  if (request.decision === decision) return { tokens, answer: { status: 200 } };
  const canBeDecided = request.decision === null && request.waits > 0 && !tokens[it.place + 1];
  if (!canBeDecided) return refusal(tokens, 409, "request_changed");
  const completes = decision === "confirmed" ? windowSteps : 0;
  return { tokens: withToken(it, { ...token, request: { ...request, decision, completes } }), answer: { status: 200 } };
};

const use = (it: Subject, isAtItsPlace: boolean): Outcome => {
  const { tokens, token } = it;
  const refused = endedRefusal(it);
  if (refused) return refused;
  if (!isAtItsPlace) return refusal(tokens, 403, "ip_not_allowed");
  const used = { ...token, hasNonce: false, repeats: 0 };
  return { tokens: withToken(it, used), answer: { status: 200 } };
};

/** Returns the rejection of a value whose token has ended. */
const endedRefusal = ({ tokens, token }: Subject): Outcome | undefined => {
  if (token.isRevoked) return refusal(tokens, 401, "token_revoked");
  if (token.ends === 0) return refusal(tokens, 401, "token_expired");
  return undefined;
};

/** Returns the outcome of a repeated call, as long as the successor that the first call made is unused. */
const repeated = ({ tokens, place, token }: Subject, from: Place): Outcome | undefined => {
  const successor = tokens[place + 1];
  if (token.isRevoked || successor?.ip !== from || !canBeRepeated(successor)) return undefined;
  return { tokens, answer: { status: 201, text: place + 1 } };
};

const rotate = (it: Subject, { from, graceSeconds }: Extract<Call, { kind: "rotate own" }>): Outcome | undefined => {
  const { tokens, token } = it;
  const grace = stepsOf(graceSeconds);
  const again = token.ip === from ? repeated(it, from) : undefined;
  // Another grace period can only end the old token sooner.
  if (again) return { ...again, tokens: withToken(it, { ...token, ends: Math.min(token.ends ?? grace, grace) }) };
  const refused = endedRefusal(it);
  if (refused) return refused;
  if (token.ip !== from) return refusal(tokens, 403, "ip_not_allowed");
  if (tokens[it.place + 1]) return refusal(tokens, 409, "token_already_rotated");
  return succeed(it, { successor: made("rotation", from), grace });
};

const move = (it: Subject, from: Place): Outcome | undefined => {
  const { tokens, token } = it;
  const refused = repeated(it, from) ?? endedRefusal(it);
  if (refused) return refused;
  if (tokens[it.place + 1]) return refusal(tokens, 409, "token_already_rotated");
  if (token.ip === from) return refusal(tokens, 409, "move_not_needed");
  const { request } = token;
  const isConfirmed = request?.decision === "confirmed" && request.completes > 0 && request.ip !== token.ip;
  if (!isConfirmed) return ask(it, from);
  // Nobody else can undo what an admin has confirmed.
  if (request.ip !== from) return refusal(tokens, 403, "ip_not_allowed");
  return succeed(it, { successor: made("move", from), grace: 0 });
};

const rotateFor = (it: Subject, graceSeconds: number): Outcome | undefined => {
  const { tokens, token } = it;
  if (!isActive(token) || token.ip === null) return refusal(tokens, 409, "token_not_active");
  if (tokens[it.place + 1]) return refusal(tokens, 409, "token_already_rotated");
  const outcome = succeed(it, { successor: { ...newToken, ip: token.ip }, grace: stepsOf(graceSeconds) });
  return outcome && { ...outcome, answer: { ...outcome.answer, status: 200 } };
};

const succeed = (
  { tokens, place, token, scope }: Subject,
  { successor, grace }: { successor: Token; grace: number },
): Outcome | undefined => {
  if (tokens.length >= scope.tokens) return undefined;
  const old = { ...token, ends: Math.min(token.ends ?? grace, grace), repeats: 0, hasNonce: false };
  return {
    tokens: [...tokens.with(place, old), { ...successor, isShort: token.isShort, ends: token.ends }],
    answer: { status: 201, text: place + 1 },
  };
};
