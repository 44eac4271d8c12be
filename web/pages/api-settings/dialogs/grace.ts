import { longestGraceSeconds } from "../../../../lambdas/resources/tokens/token-limits.ts";

/** When a rotated token may end. */
export const gracePresets = [
  { value: "0", label: "Immediately", description: "The client is refused until it has the new token." },
  { value: "3600", label: "In 1 hour", description: "If you are updating the client now." },
  { value: "86400", label: "In 1 day", description: "If someone else changes the client." },
  {
    value: String(longestGraceSeconds),
    label: "In 7 days",
    description: "If the change may take a while. This is the maximum.",
  },
];

export const defaultGrace = "86400";

/** When a token ends that is rotated now: never later than it would have ended anyway. */
export const endAfterGrace = (graceSeconds: number, expiresAt: string | null, now: number): string => {
  const end = new Date(now + graceSeconds * 1000).toISOString();
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
};
