import type { SeveralAction } from "./several-plan.ts";

/** "3 tokens" */
export const tokensInWords = (count: number): string =>
  count === 1 ? "1 token" : `${count.toLocaleString("en")} tokens`;

interface ActionTexts {
  title: (count: number) => string;
  submit: (count: number) => string;
  running: string;
  /** "3 tokens …" */
  done: string;
  notDone: string;
  /** About one token. */
  oneDone: string;
  oneNotDone: string;
  oneUnknown: string;
  /** Why there is nothing to do. */
  nothing: string;
}

/** What the dialogs say about each action. */
export const actionTexts: Record<SeveralAction, ActionTexts> = {
  revoke: {
    title: (count) => `Revoke ${tokensInWords(count)}`,
    submit: (count) => `Revoke ${tokensInWords(count)}`,
    running: "Revoking tokens",
    done: "revoked",
    notDone: "not revoked",
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
    notDone: "not changed",
    oneDone: "Changed",
    oneNotDone: "Not changed",
    oneUnknown: "Its expiry may or may not have been changed; it is safe to set it again.",
    nothing: "None of the selected tokens can be given a new expiry",
  },
};
