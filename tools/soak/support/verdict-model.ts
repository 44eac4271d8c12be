import type { Model } from "../../support/linearizability/linearizability.ts";

/** What happened to a token, from its issue on: uses of it with the verdict, and what admins did. Times are epoch milliseconds. */
export type TokenEvent =
  | { kind: "use"; verdict: "active" | "expired" | "revoked"; from: number; to: number }
  | { kind: "revoke"; answer?: "revoked" | "expired" }
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
  /** When it ends by its rotation: between these times, if the answer that tells was lost. */
  endsFrom: number;
  endsTo: number;
}

/** The verdicts that are due on a token. */
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
