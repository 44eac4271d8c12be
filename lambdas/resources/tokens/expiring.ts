import { tokenPaths } from "../../addresses.ts";
import type { TokenRecord } from "./token-store.ts";

/** What the holder of a token that ends soon is told. */
export interface Expiring {
  /** RFC 3339, UTC, with milliseconds. */
  expires_at: string;
  /** Whole days until then. */
  days: number;
  /** The call that replaces the token; `null` if it has a successor already, or if a successor would not live longer. */
  rotation: string | null;
}

/** How many days before the end of a token its holder is told. */
export const announcedDays = 30;

/** The call with which clients rotate their tokens. */
export const rotationCall = `POST ${tokenPaths.rotation}`;

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** What the holder of a working token is told about its end at a time (Unix, in ms); `undefined` unless it ends soon. */
export const expiringAt = (
  { expires_at, end_set_at, successor_id }: Pick<TokenRecord, "expires_at" | "end_set_at" | "successor_id">,
  now: number,
): Expiring | undefined => {
  if (expires_at === undefined) return undefined;
  const left = (Date.parse(expires_at) - now) / dayMilliseconds;
  if (left > announcedDays) return undefined;
  const days = Math.max(0, Math.floor(left));
  return { expires_at, days, rotation: successor_id === undefined && end_set_at === undefined ? rotationCall : null };
};
