const dayMs = 86_400_000;

/** How long a token may hold, for the most usual wishes. */
export const expiryPresets = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "Never expires" },
  { value: "date", label: "On a date…" },
];

/** An end that was chosen: a preset and, if that is `date`, the date as YYYY-MM-DD. */
export interface Expiry {
  preset: string;
  date: string;
}

export const usualExpiry: Expiry = { preset: "365", date: "" };

/** When a token with this expiry ends; null if it does not; undefined if no date was chosen, or none that is to come. */
export const expiresAt = ({ preset, date }: Expiry, now: number): string | null | undefined => {
  if (preset === "never") return null;
  if (preset !== "date") return new Date(now + Number(preset) * dayMs).toISOString();
  // Without a zone the end of the day is that of the admin's own zone.
  const end = new Date(`${date}T23:59:59.999`);
  return end.getTime() > now ? end.toISOString() : undefined;
};
