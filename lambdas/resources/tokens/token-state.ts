/*
 * Where a token can be in its life. This file must not import anything that only runs on a server: the web interface uses it.
 */

/** Where a token is in its life, in the words of people, and the state that programs see. */
export const phases = {
  invited: { state: "invited", meaning: "An invitation that has not been used. The token does not exist yet." },
  awaiting_confirmation: {
    state: "awaiting_confirmation",
    meaning: "A client has shown the invitation, and an admin has to confirm its address.",
  },
  active: { state: "active", meaning: "The token works from its address." },
  moving: { state: "active", meaning: "It works, and its client has asked to move to another address." },
  move_confirmed: { state: "active", meaning: "It works, and an admin has confirmed the other address." },
  rotated: { state: "active", meaning: "It works until its grace period ends. Its successor works as well." },
  expired: { state: "expired", meaning: "Its time is over." },
  revoked: { state: "revoked", meaning: "An admin or somebody who has its secret has ended it." },
} as const satisfies Record<string, { state: string; meaning: string }>;

export type Phase = keyof typeof phases;

/** What an admin sees of a phase. */
export type TokenState = (typeof phases)[Phase]["state"];

export const tokenStates = [
  "invited",
  "awaiting_confirmation",
  "active",
  "expired",
  "revoked",
] as const satisfies readonly TokenState[];
