import type { Caller } from "integration-api";

type Client = Pick<Caller, "client">;

/**
 * Checks whether the caller may see and change what belongs to this customer. The client of a customer's token is its
 * `customer_id`. A token without a client belongs to our own staff, who may do everything.
 */
export const owns = ({ client }: Client, { customer_id }: { customer_id: string }): boolean =>
  client === undefined || client === customer_id;

/** Returns what a change requires of a stored record: that it is the caller's. */
export const ownedBy = ({ client }: Client) => (client === undefined ? {} : { customer_id: client });
