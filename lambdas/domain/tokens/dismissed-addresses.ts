import * as z from "zod/mini";
import { parseJson } from "../../shared/parse-json.ts";
import { time } from "../../shared/validation/fields.ts";
import { storedIp } from "./stored-ip.ts";

/**
 * A wrong address that an admin has recognised, so that the token's correct secret from there no longer counts as a leak. Calls
 * from it are still rejected.
 */
const dismissedAddress = z.strictObject({ ip: storedIp, dismissed_at: time(), dismissed_by: z.string() });

/** The addresses are part of the record that each call reads, so there must not be many of them. */
export const maxDismissedAddresses = 20;

/** Returns the addresses in a record, oldest first. */
export const dismissedIn = (record: { dismissed_addresses?: string }): z.output<typeof dismissedAddress>[] =>
  record.dismissed_addresses === undefined ? [] : JSON.parse(record.dismissed_addresses);

/** Checks whether a string is a list of dismissed addresses as this code stores it. `z.array` would make every function larger. */
export const areDismissedAddresses = (text: string): boolean => {
  const addresses = parseJson(text);
  return (
    Array.isArray(addresses) &&
    addresses.length > 0 &&
    addresses.length <= maxDismissedAddresses &&
    addresses.every((one) => z.safeParse(dismissedAddress, one).success)
  );
};
