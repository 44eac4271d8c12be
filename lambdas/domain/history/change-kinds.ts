/*
 * The kinds of changes in a history. The web interface uses this file, so it must not import anything that only runs on a server.
 */

/** Kinds of token changes. */
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

/** Kinds of key changes. `revealed` means that an admin was shown the v_code, which changes nothing. */
export const keyChangeKinds = ["created", "replaced", "revealed", "deleted"] as const;

export const changeKinds = [...tokenChangeKinds, ...keyChangeKinds] as const;

export type TokenChangeKind = (typeof tokenChangeKinds)[number];
export type KeyChangeKind = (typeof keyChangeKinds)[number];
export type ChangeKind = (typeof changeKinds)[number];
