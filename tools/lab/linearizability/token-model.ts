import type { Model } from "./linearizability.ts";

/** The part of a token's record that admins change, as they see it. */
export interface ShownToken {
  rate_limit: number | null;
  updated_by: string | null;
  rotated_by: string | null;
  revoked_by: string | null;
  expires_at: string | null;
  /** The dismissed addresses, separated by commas. */
  dismissed: string;
}

/** The time range in which something happened, by the clock of the process that did it (Unix milliseconds). */
interface Span {
  from: number;
  to: number;
}

/** A request about a token and its outcome. Without a response, nobody knows whether the request was carried out. */
export type TokenAction = Span &
  (
    | { kind: "use"; verdict: "active" | "expired" | "revoked"; limit?: number | null }
    | { kind: "read"; answer: ShownToken }
    | ({ kind: "update"; by: string; answer?: ShownToken | "already rotated" | "not active" } & TokenEdit)
    | { kind: "dismiss" | "restore"; by: string; ip: string; answer?: ShownToken | "not active" }
    | { kind: "revoke"; by: string; answer?: ShownToken }
    | { kind: "rotate"; by: string; graceMilliseconds: number; answer?: "rotated" | "already rotated" | "not active" }
    /** A client gets a successor: it rotates or moves its token, or repeats such a call. */
    | { kind: "succeed"; by: string; graceMilliseconds: number; isMove?: boolean }
    /** Somebody who has the token ends it. */
    | { kind: "leave"; by: string; isAnswered: boolean }
  );

/** The fields of a token that an admin changes. Absent fields stay unchanged. */
interface TokenEdit {
  limit?: number | null | undefined;
  /** The token's new end: none, or a time that the response shows. */
  end?: "none" | "a time" | undefined;
}

/** A time that no response has shown yet. */
const unseen = "?";

interface State extends ShownToken {
  /** The latest end of a rotated token: the end of its grace period, or its earlier end. */
  latestEnd?: string;
}

/** A token whose record nobody has changed. */
export const untouched: ShownToken = {
  rate_limit: null,
  updated_by: null,
  rotated_by: null,
  revoked_by: null,
  expires_at: null,
  dismissed: "",
};

/** Returns the model of a token since its issue. */
export const tokenModel = (initial: ShownToken = untouched): Model<State, TokenAction> => ({
  initial,
  keyOf: (state) => JSON.stringify(state),
  after(state, action) {
    switch (action.kind) {
      case "use":
        return isVerdict(state, action) ? [state] : [];
      case "read":
        return seenAs(state, action.answer);
      case "update":
        return afterUpdate(state, action);
      case "dismiss":
      case "restore":
        return afterDismissal(state, action);
      case "revoke":
        return afterRevocation(state, action);
      case "rotate":
        return afterRotation(state, action);
      case "succeed": {
        if (state.rotated_by !== action.by)
          return afterRotation(state, { ...action, kind: "rotate", answer: "rotated" });
        return [action.isMove ? state : shortened(state, action)];
      }
      case "leave":
        return afterLeaving(state, action);
    }
  },
});

type Of<Kind> = Extract<TokenAction, { kind: Kind }>;

const mayBeExpired = ({ expires_at }: State, { to }: Span): boolean =>
  expires_at !== null && (expires_at === unseen || Date.parse(expires_at) <= to);

const mayBeActive = ({ revoked_by, expires_at, latestEnd }: State, { from }: Span): boolean => {
  const end = expires_at === unseen ? (latestEnd ?? null) : expires_at;
  return revoked_by === null && (end === null || Date.parse(end) > from);
};

const mayHaveEnded = (state: State, span: Span): boolean => state.revoked_by !== null || mayBeExpired(state, span);

const isVerdict = (state: State, use: Of<"use">): boolean => {
  switch (use.verdict) {
    case "revoked":
      return state.revoked_by !== null;
    case "expired":
      return state.revoked_by === null && mayBeExpired(state, use);
    case "active":
      return mayBeActive(state, use) && (use.limit === undefined || use.limit === state.rate_limit);
  }
};

const afterUpdate = (state: State, update: Of<"update">): State[] => {
  const { by, limit, end, answer } = update;
  if (answer === "not active") return mayHaveEnded(state, update) ? [state] : [];
  if (answer === "already rotated") return state.rotated_by !== null && end !== undefined ? [state] : [];
  const updated = {
    ...state,
    ...(limit !== undefined && { rate_limit: limit }),
    ...(end !== undefined && { expires_at: end === "none" ? null : unseen }),
    updated_by: by,
  };
  const applies = mayBeActive(state, update) && (end === undefined || state.rotated_by === null);
  if (!applies) return answer ? [] : [state];
  return answer ? seenAs(updated, answer) : [updated, state];
};

const afterDismissal = (state: State, action: Of<"dismiss" | "restore">): State[] => {
  const { kind, by, ip, answer } = action;
  if (answer === "not active") return mayHaveEnded(state, action) ? [state] : [];
  const before = state.dismissed === "" ? [] : state.dismissed.split(",");
  const isAsAsked = before.includes(ip) === (kind === "dismiss");
  const after = kind === "dismiss" ? [...before, ip] : before.filter((other) => other !== ip);
  const changed = isAsAsked ? state : { ...state, dismissed: after.join(","), updated_by: by };
  if (!mayBeActive(state, action)) return answer ? [] : [state];
  return answer ? seenAs(changed, answer) : [changed, state];
};

const afterRevocation = (state: State, revocation: Of<"revoke">): State[] => {
  const { by, answer } = revocation;
  const isRevocable = mayBeActive(state, revocation) || (state.revoked_by === null && state.rotated_by !== null);
  const revoked = { ...state, revoked_by: by };
  if (!answer) return isRevocable ? [revoked, state] : [state];
  if (answer.revoked_by === by) return isRevocable ? seenAs(revoked, answer) : seenAs(state, answer);
  // A token that has already ended stays unchanged.
  return mayHaveEnded(state, revocation) ? seenAs(state, answer) : [];
};

/** Returns the states after the token was ended. An expired token stays unchanged, unless it has a successor. */
const afterLeaving = (state: State, leaving: Of<"leave">): State[] => {
  const { by, isAnswered } = leaving;
  const isReplaced = state.revoked_by === null && state.rotated_by !== null;
  const revoked = mayBeActive(state, leaving) || isReplaced ? [{ ...state, revoked_by: by }] : [];
  const mayStay = !isAnswered || state.revoked_by !== null || (mayBeExpired(state, leaving) && !isReplaced);
  return mayStay ? [...revoked, state] : revoked;
};

const afterRotation = (state: State, rotation: Of<"rotate">): State[] => {
  const { by, graceMilliseconds, answer } = rotation;
  const isRotatable = mayBeActive(state, rotation) && state.rotated_by === null;
  const { expires_at } = state;
  const endOfGrace = new Date(rotation.to + graceMilliseconds).toISOString();
  const isBound = expires_at !== null && expires_at !== unseen && expires_at < endOfGrace;
  const rotated = { ...state, rotated_by: by, expires_at: unseen, latestEnd: isBound ? expires_at : endOfGrace };
  switch (answer) {
    case "rotated":
      return isRotatable ? [rotated] : [];
    case "already rotated":
      return state.rotated_by === null ? [] : [state];
    case "not active":
      return mayHaveEnded(state, rotation) ? [state] : [];
    default:
      if (isRotatable) return [rotated, state];
      return state.rotated_by === by ? [shortened(state, rotation), state] : [state];
  }
};

/** Returns the state after a repeated rotation, which ends the old token sooner if its grace period is shorter. */
const shortened = (state: State, { to, graceMilliseconds }: Span & { graceMilliseconds: number }): State => {
  const endOfGrace = new Date(to + graceMilliseconds).toISOString();
  const latestEnd = (state.expires_at === unseen ? state.latestEnd : state.expires_at) ?? endOfGrace;
  return latestEnd <= endOfGrace ? state : { ...state, expires_at: unseen, latestEnd: endOfGrace };
};

/** Returns the state if the token can look like this, with the time that was unknown before. */
const seenAs = (state: State, shown: ShownToken): State[] => {
  const { latestEnd } = state;
  const names = ["rate_limit", "updated_by", "rotated_by", "revoked_by", "dismissed"] as const;
  const isSame =
    names.every((name) => state[name] === shown[name]) &&
    (state.expires_at === shown.expires_at || (state.expires_at === unseen && shown.expires_at !== null)) &&
    (latestEnd === undefined || (shown.expires_at !== null && shown.expires_at <= latestEnd));
  return isSame ? [shown] : [];
};
