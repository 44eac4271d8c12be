import type { Model } from "../linearizability/linearizability.ts";

/** The events of a token since its issue: uses with their verdicts, and actions of admins. Times are epoch milliseconds. */
export type TokenEvent =
  | { kind: "use"; verdict: "active" | "expired" | "revoked"; from: number; to: number }
  | { kind: "revoke"; answer?: "revoked" | "expired" }
  /** By a client, which learns only that its token has ended. */
  | { kind: "revoke"; answer: "ended"; to: number }
  | {
      kind: "rotate";
      endsFrom: number;
      endsTo: number;
      answer?: "rotated" | "already rotated" | "not active";
      to: number;
    };

interface State {
  isRevoked: boolean;
  hasSuccessor: boolean;
  /** When the token ends by its rotation: between these times if the response was lost. */
  endsFrom: number;
  endsTo: number;
}

/** The verdicts that a token must get. */
export const verdictModel: Model<State, TokenEvent> = {
  initial: {
    isRevoked: false,
    hasSuccessor: false,
    endsFrom: Number.POSITIVE_INFINITY,
    endsTo: Number.POSITIVE_INFINITY,
  },
  keyOf: (state) => Object.values(state).join(" "),
  after(state, event) {
    switch (event.kind) {
      case "use":
        return isDue(state, event) ? [state] : [];
      case "revoke":
        if (!event.answer) return [{ ...state, isRevoked: true }, state];
        if (event.answer === "ended") return afterOwnRevocation(state, event.to);
        if (event.answer === "expired") return state.isRevoked || !state.hasSuccessor ? [] : [state];
        return [{ ...state, isRevoked: true }];
      case "rotate":
        return afterRotation(state, event);
    }
  },
};

const isDue = (
  { isRevoked, endsFrom, endsTo }: State,
  { verdict, from, to }: TokenEvent & { kind: "use" },
): boolean => {
  switch (verdict) {
    case "revoked":
      return isRevoked;
    case "expired":
      return !isRevoked && endsFrom <= to;
    case "active":
      return !isRevoked && from < endsTo;
  }
};

/** A token that has already ended stays unchanged. */
const afterOwnRevocation = (state: State, to: number): State[] => [
  { ...state, isRevoked: true },
  ...(state.endsFrom <= to ? [state] : []),
];

const afterRotation = (state: State, { answer, endsFrom, endsTo, to }: TokenEvent & { kind: "rotate" }): State[] => {
  const rotated = { ...state, hasSuccessor: true, endsFrom, endsTo };
  const isRotatable = !state.isRevoked && !state.hasSuccessor;
  if (answer === undefined) return isRotatable ? [rotated, state] : [state];
  switch (answer) {
    case "rotated":
      return isRotatable ? [rotated] : [];
    case "already rotated":
      return state.hasSuccessor ? [state] : [];
    case "not active":
      return state.isRevoked || state.endsFrom <= to ? [state] : [];
  }
};
