/*
 * The phases of a token's life cycle. The web interface uses this file, so it must not import anything that only runs on a server.
 */

/** A token's state as responses show it. */
export const tokenStates = ["invited", "awaiting_confirmation", "active", "expired", "revoked"] as const;

export type TokenState = (typeof tokenStates)[number];

/** The detailed phases of a token's life cycle, each with the state that responses show. */
export const phases = {
  invited: "invited",
  awaiting_confirmation: "awaiting_confirmation",
  active: "active",
  moving: "active",
  move_confirmed: "active",
  rotated: "active",
  replaced: "expired",
  expired: "expired",
  revoked: "revoked",
} as const satisfies Record<string, TokenState>;

export type Phase = keyof typeof phases;

/** The documentation of each phase. A separate table, so that bundles can leave it out. */
export const phaseGuide: Readonly<Record<Phase, string>> = {
  invited: "An invitation that has not been used. The token does not exist yet.",
  awaiting_confirmation: "A client has shown the invitation, and an admin has to confirm its address.",
  active: "The token works from its address.",
  moving: "It works, and its client has asked to move to another address.",
  move_confirmed: "It works, and an admin has confirmed the other address.",
  rotated: "It works until its grace period ends. Its successor works as well.",
  replaced: "It has been rotated or moved, and has ended.",
  expired: "It has reached its end.",
  revoked: "An admin or somebody who has its secret has ended it.",
};
