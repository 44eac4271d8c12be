/*
 * The kinds of changes that a history has. This file must not import anything that only runs on a server: the web interface
 * uses it.
 */

/** The kinds of changes of tokens. */
export const tokenChangeKinds = [
  "issued",
  "invited",
  "requested",
  "confirmed",
  "rejected",
  "redeemed",
  "updated",
  "leak_dismissed",
  "leak_restored",
  "rotated",
  "moved",
  "succeeded",
  "revoked",
  "exchanged",
  "trusted",
  "trust_updated",
  "trust_ended",
] as const;

/** The kinds of changes of keys. `revealed`: an admin was shown the v_code, which changes nothing. */
export const keyChangeKinds = ["created", "replaced", "revealed", "deleted"] as const;

export const changeKinds = [...tokenChangeKinds, ...keyChangeKinds] as const;

export type TokenChangeKind = (typeof tokenChangeKinds)[number];
export type KeyChangeKind = (typeof keyChangeKinds)[number];
export type ChangeKind = (typeof changeKinds)[number];
