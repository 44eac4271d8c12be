import type { Token } from "../../../../api/types.ts";
import { dayMs } from "../../../../parts/time.ts";
import { isInvited, isRevocable, statusOf, type TokenStatus } from "../../token/token-status.ts";

/** The actions that can be run on several tokens at once. */
export type SeveralAction = "revoke" | "expiry";

/** A token that the action skips, and the reason. */
export interface Skipped {
  token: Token;
  reason: string;
}

export interface Plan {
  tokens: Token[];
  skipped: Skipped[];
  /** How many of the tokens were used in the last seven days. */
  inUseCount: number;
}

const inUseMs = 7 * dayMs;

/** Separates the tokens that an action applies to from those that it skips. */
export const planFor = (action: SeveralAction, selected: readonly Token[], now: number): Plan => {
  const judged = selected.map((token) => ({ token, reason: reasonToSkip(action, token, now) }));
  const tokens = judged.flatMap(({ token, reason }) => (reason === undefined ? [token] : []));
  return {
    tokens,
    skipped: judged.flatMap(({ token, reason }) => (reason === undefined ? [] : [{ token, reason }])),
    inUseCount: tokens.filter(({ last_used_at }) => last_used_at !== null && now - Date.parse(last_used_at) < inUseMs)
      .length,
  };
};

const ended: Partial<Record<TokenStatus, string>> = {
  revoked: "It was revoked.",
  moved: "Its client has moved to another address.",
};

const reasonToSkip = (action: SeveralAction, token: Token, now: number): string | undefined => {
  const status = statusOf(token, now);
  if (!isRevocable(status)) return ended[status] ?? "It has expired.";
  if (action === "expiry" && token.trust_id !== null) return "The trust in its workload decides when it ends.";
  if (action === "expiry" && isInvited(status)) return "Its invitation has not been redeemed yet.";
  if (action === "expiry" && status === "rotated") return "It was rotated: its grace period decides when it ends.";
  return undefined;
};

/** Returns a count in words, such as "3 tokens". */
export const tokensInWords = (count: number): string =>
  count === 1 ? "1 token" : `${count.toLocaleString("en")} tokens`;

interface ActionTexts {
  title: (count: number) => string;
  submit: (count: number) => string;
  running: string;
  /** Follows "3 tokens". */
  done: string;
  /** The same for one token. */
  oneDone: string;
  oneNotDone: string;
  oneUnknown: string;
  /** Why the action applies to none of the tokens. */
  nothing: string;
}

/** The dialogs' texts for each action. */
export const actionTexts: Record<SeveralAction, ActionTexts> = {
  revoke: {
    title: (count) => `Revoke ${tokensInWords(count)}`,
    submit: (count) => `Revoke ${tokensInWords(count)}`,
    running: "Revoking tokens",
    done: "revoked",
    oneDone: "Revoked",
    oneNotDone: "Not revoked",
    oneUnknown: "It may or may not have been revoked; it is safe to revoke it again.",
    nothing: "None of the selected tokens can be revoked",
  },
  expiry: {
    title: (count) => `Set the expiry of ${tokensInWords(count)}`,
    submit: () => "Set expiry",
    running: "Setting the expiry",
    done: "changed",
    oneDone: "Changed",
    oneNotDone: "Not changed",
    oneUnknown: "Its expiry may or may not have been changed; it is safe to set it again.",
    nothing: "None of the selected tokens can be given a new expiry",
  },
};
