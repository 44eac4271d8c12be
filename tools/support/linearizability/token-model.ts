import type { Model } from "./linearizability.ts";

/** The part of a token's record that admins change, as they see it. */
export interface ShownToken {
  rate_limit: number | null;
  updated_by: string | null;
  rotated_by: string | null;
  revoked_by: string | null;
  expires_at: string | null;
}

/** When something happened by the clock of whoever did it: between these times (Unix milliseconds). */
export interface Span {
  from: number;
  to: number;
}

/** What was done to a token and what was answered; without an answer nobody knows whether it was done. */
export type TokenAction = Span &
  (
    | { kind: "use"; verdict: "active" | "expired" | "revoked"; limit?: number | null }
    | { kind: "read"; answer: ShownToken }
    | { kind: "update"; by: string; limit: number | null; answer?: ShownToken | "not active" }
    | { kind: "revoke"; by: string; answer?: ShownToken }
    | { kind: "rotate"; by: string; answer?: "rotated" | "already rotated" | "not active" }
  );

/** A time that no answer has shown yet. */
const unseen = "?";

/** A token since its issue. */
export const tokenModel = (initial: ShownToken): Model<ShownToken, TokenAction> => ({
  initial,
  keyOf: ({ rate_limit, updated_by, rotated_by, revoked_by, expires_at }) =>
    `${rate_limit} ${updated_by} ${rotated_by} ${revoked_by} ${expires_at}`,
  after(state, action) {
    switch (action.kind) {
      case "use":
        return isVerdict(state, action) ? [state] : [];
      case "read":
        return seenAs(state, action.answer);
      case "update":
        return afterUpdate(state, action);
      case "revoke":
        return afterRevocation(state, action);
      case "rotate":
        return afterRotation(state, action);
    }
  },
});

type Of<Kind> = Extract<TokenAction, { kind: Kind }>;

const mayBeExpired = ({ expires_at }: ShownToken, { to }: Span): boolean =>
  expires_at !== null && (expires_at === unseen || Date.parse(expires_at) <= to);

const mayBeActive = ({ revoked_by, expires_at }: ShownToken, { from }: Span): boolean =>
  revoked_by === null && (expires_at === null || expires_at === unseen || Date.parse(expires_at) > from);

const mayHaveEnded = (state: ShownToken, span: Span): boolean => state.revoked_by !== null || mayBeExpired(state, span);

const isVerdict = (state: ShownToken, use: Of<"use">): boolean => {
  switch (use.verdict) {
    case "revoked":
      return state.revoked_by !== null;
    case "expired":
      return state.revoked_by === null && mayBeExpired(state, use);
    case "active":
      return mayBeActive(state, use) && (use.limit === undefined || use.limit === state.rate_limit);
  }
};

const afterUpdate = (state: ShownToken, update: Of<"update">): ShownToken[] => {
  const { by, limit, answer } = update;
  if (answer === "not active") return mayHaveEnded(state, update) ? [state] : [];
  const updated = { ...state, rate_limit: limit, updated_by: by };
  if (!mayBeActive(state, update)) return answer ? [] : [state];
  return answer ? seenAs(updated, answer) : [updated, state];
};

const afterRevocation = (state: ShownToken, revocation: Of<"revoke">): ShownToken[] => {
  const { by, answer } = revocation;
  const revoked = { ...state, revoked_by: by };
  if (!answer) return mayBeActive(state, revocation) ? [revoked, state] : [state];
  if (answer.revoked_by === by) return mayBeActive(state, revocation) ? seenAs(revoked, answer) : seenAs(state, answer);
  // A token that has already ended stays as it is.
  return mayHaveEnded(state, revocation) ? seenAs(state, answer) : [];
};

const afterRotation = (state: ShownToken, rotation: Of<"rotate">): ShownToken[] => {
  const { by, answer } = rotation;
  const isRotatable = mayBeActive(state, rotation) && state.rotated_by === null;
  const rotated = { ...state, rotated_by: by, expires_at: unseen };
  switch (answer) {
    case "rotated":
      return isRotatable ? [rotated] : [];
    case "already rotated":
      return state.rotated_by === null ? [] : [state];
    case "not active":
      return mayHaveEnded(state, rotation) ? [state] : [];
    default:
      return isRotatable ? [rotated, state] : [state];
  }
};

/** The state if the token can look like this, with the time that was unknown before. */
const seenAs = (state: ShownToken, shown: ShownToken): ShownToken[] => {
  const isSame =
    state.rate_limit === shown.rate_limit &&
    state.updated_by === shown.updated_by &&
    state.rotated_by === shown.rotated_by &&
    state.revoked_by === shown.revoked_by &&
    (state.expires_at === shown.expires_at || (state.expires_at === unseen && shown.expires_at !== null));
  return isSame ? [shown] : [];
};
