import { type Call, placeOf, type Token, type Tokens } from "./life.ts";
import type { ServiceState, Transition } from "./states.ts";

/** A step in the life of one token, with the names that the service gives to steps and phases. */
interface LifeStep {
  name: string;
  /** Undefined if it begins the token's life. */
  from: string | undefined;
  to: string;
}

/** The phase of a token in the model. */
const phaseIn = ({ isRevoked, ends, isInvitation, request, ip }: Token, hasSuccessor: boolean): string => {
  if (isRevoked) return "revoked";
  if (ends === 0) return hasSuccessor ? "replaced" : "expired";
  const isWaiting = request !== null && request.decision === null && request.waits > 0;
  if (isInvitation) return isWaiting ? "awaiting_confirmation" : "invited";
  if (hasSuccessor) return "rotated";
  if (request === null || request.ip === ip) return "active";
  if (isWaiting) return "moving";
  return request.decision === "confirmed" && request.completes > 0 ? "move_confirmed" : "active";
};

const phasesOf = (tokens: Tokens): string[] => tokens.map((token, place) => phaseIn(token, tokens.length > place + 1));

/** The steps in the lives of the tokens that a transition of the model changes. */
export const lifeStepsIn = ({ tokens: before }: ServiceState, { call, outcome }: Transition): LifeStep[] => {
  const { tokens: after, answer } = outcome;
  if (answer.status >= 300) return [];
  const [old, now] = [phasesOf(before), phasesOf(after)];
  const at = placeOf(call);
  const from = old[at];
  const to = now[at] ?? "";
  if (after.length > before.length) return begun(call, { from, to, begins: now[after.length - 1] ?? "" });
  if (call.kind === "wait") {
    return old.flatMap((phase, place) => {
      const next = now[place] ?? "";
      return phase === next ? [] : [{ name: nameOfPassing(phase, next), from: phase, to: next }];
    });
  }
  // Nothing happens when a call is repeated.
  if (JSON.stringify(before[at]) === JSON.stringify(after[at])) return [];
  if (call.kind === "rotate") return rotated("shorten", from, to);
  const name = nameOfChange(call, answer.shows !== undefined, before[at]?.isInvitation === true);
  return name === undefined ? [] : [{ name, from, to }];
};

const begun = (
  call: Call,
  { from, to, begins }: { from: string | undefined; to: string; begins: string },
): LifeStep[] => {
  if (call.kind === "invite" || call.kind === "issue") return [{ name: call.kind, from: undefined, to: begins }];
  const successor = { name: "succeed", from: undefined, to: begins };
  if (call.kind === "move") return [successor, { name: "move", from, to }];
  return [successor, ...rotated("rotate", from, to)];
};

/** Without a grace period, the old token ends as soon as it is rotated. */
const rotated = (name: string, from: string | undefined, to: string): LifeStep[] => {
  const replaced = to === "replaced" ? [{ name: "replace", from: "rotated", to }] : [];
  return [{ name, from, to: "rotated" }, ...replaced];
};

const nameOfPassing = (from: string, to: string): string => {
  if (to === "expired" || to === "replaced") return to === "expired" ? "expire" : "replace";
  return from === "awaiting_confirmation" ? "lapse" : "lapse_move";
};

const nameOfChange = ({ kind }: Call, isAsked: boolean, isInvitation: boolean): string | undefined => {
  switch (kind) {
    case "redeem":
      return isAsked ? "ask" : "redeem";
    case "move":
      return "ask_to_move";
    case "confirm":
    case "reject":
      return isInvitation ? kind : `${kind}_move`;
    case "revoke":
    case "leave":
      return "revoke";
    default:
      return undefined;
  }
};

/**
 * Selects one transition of each kind: of each call with each response, in each combination of phases. Calls that give a text,
 * or gave it before, are of a different kind if the text can be requested again, or can still be derived.
 */
export const oneOfEachKind = (): ((from: ServiceState, transition: Transition) => boolean) => {
  const seen = new Set<string>();
  return ({ tokens }, { call, outcome: { answer } }) => {
    const isAboutText = call.kind === "redeem" || call.kind === "rotate" || call.kind === "move";
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
