import type { Caller } from "integration-api";
import { staff } from "./declared.ts";

type Client = Pick<Caller, "client">;

/**
 * Checks whether the caller may see and change what belongs to this customer. The client of a customer's token is its
 * `customer_id`. Our own staff may do everything, and a token without a client nothing.
 */
export const owns = ({ client }: Client, { customer_id }: { customer_id: string }): boolean =>
  client === staff || client === customer_id;

/** Returns what a change requires of a stored record: that it is the caller's. No record has an empty `customer_id`. */
export const ownedBy = ({ client = "" }: Client) => (client === staff ? {} : { customer_id: client });
