import { dayMs } from "../../../parts/time.ts";

/** The lifetimes to choose from. */
export const expiryPresets = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "never", label: "Never expires" },
  { value: "date", label: "On a date…" },
];

/** The chosen preset or `unchanged`, and, if it is `date`, the date as YYYY-MM-DD. */
export interface Expiry {
  preset: string;
  date: string;
}

export const defaultExpiry: Expiry = { preset: "365", date: "" };

export const unchangedExpiry: Expiry = { preset: "unchanged", date: "" };

/**
 * When a token with this expiry ends; null if never; `undefined` if the date is missing or not in the future.
 *
 * @param current the end that the token has, which `unchanged` stands for
 */
export const expiresAt = (
  { preset, date }: Expiry,
  now: number,
  current: string | null = null,
): string | null | undefined => {
  if (preset === unchangedExpiry.preset) return current;
  if (preset === "never") return null;
  if (preset !== "date") return new Date(now + Number(preset) * dayMs).toISOString();
  // Without a time zone, this is the end of the day in the admin's own.
  const end = new Date(`${date}T23:59:59.999`);
  return end.getTime() > now ? end.toISOString() : undefined;
};

/** What is wrong with an end as `expiresAt` returns it; empty if nothing is. */
export const expiryError = (end: string | null | undefined): string =>
  end === undefined ? "Choose a date in the future." : "";
