import { isTime } from "../../shared/validation/fields.ts";
import { isCanonicalIp } from "./ip-address.ts";

/**
 * A wrong address that an admin has recognised, so that the token's correct secret from there no longer counts as a leak. Calls
 * from it are still rejected.
 */
export interface DismissedAddress {
  /** Canonical (RFC 5952). */
  ip: string;
  /** RFC 3339, UTC, with milliseconds. */
  dismissed_at: string;
  dismissed_by: string;
}

/** The addresses are part of the record that each call reads, so there must not be many of them. */
export const maxDismissedAddresses = 20;

/** Returns the addresses in a record, oldest first. */
export const dismissedIn = ({ dismissed_addresses }: { dismissed_addresses?: string }): DismissedAddress[] =>
  dismissed_addresses === undefined ? [] : JSON.parse(dismissed_addresses);

/** Checks whether a string is a list of dismissed addresses as this code stores it. */
export const areDismissedAddresses = (text: string): boolean => {
  try {
    const addresses: unknown = JSON.parse(text);
    return (
      Array.isArray(addresses) &&
      addresses.length > 0 &&
      addresses.length <= maxDismissedAddresses &&
      addresses.every(isDismissedAddress)
    );
  } catch {
    return false;
  }
};

const isDismissedAddress = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null || Object.keys(value).length !== 3) return false;
  const { ip, dismissed_at, dismissed_by }: Record<string, unknown> = { ...value };
  return (
    typeof ip === "string" &&
    isCanonicalIp(ip) &&
    typeof dismissed_at === "string" &&
    isTime(dismissed_at) &&
    typeof dismissed_by === "string"
  );
};
