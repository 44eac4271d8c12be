/** How long a rotated token may go on. */
export const gracePresets = [
  {
    value: "0",
    label: "Ends at once",
    description: "For a token that leaked. The client is cut off until it has the new one.",
  },
  { value: "3600", label: "1 hour", description: "For a client that is changed right now." },
  { value: "86400", label: "1 day" },
  { value: "604800", label: "7 days", description: "The longest there is." },
];

export const usualGrace = "86400";

/** When a token ends that is rotated now: never later than it would have ended anyway. */
export const endAfterGrace = (graceSeconds: number, expiresAt: string | null, now: number): string => {
  const end = new Date(now + graceSeconds * 1000).toISOString();
  return expiresAt !== null && expiresAt < end ? expiresAt : end;
};
