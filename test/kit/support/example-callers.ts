import type { Credential, Endpoint } from "../../../lambdas/declaration/endpoint.ts";
import { unknownIp } from "../../../lambdas/domain/tokens/ip-address.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { exampleToken, exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { decided, newInvitation, newToken, requestField } from "./tokens.ts";

/** A caller that can send the example of an endpoint. */
export interface ExampleCaller {
  /** The record in the table. */
  record: TokenRecord;
  /** The value of `X-Token`. Empty for a workload, which sends a JWT instead. */
  text: string;
  /** The address to send the example from. */
  from: string;
}

/** Whether the example's address has been confirmed. Applies only to endpoints that ask an admin to confirm it. */
export type Confirmation = "confirmed" | "unconfirmed";

interface CallerOptions {
  /** The address of the caller's token. */
  ip?: string;
  /** The address that an example with `from` comes from. */
  otherIp?: string | undefined;
  confirmation?: Confirmation | undefined;
  /** Fields of the caller's record. An undefined `client` is the example's, and `null` is nobody. */
  fields?: CallerFields | undefined;
}

/** Fields in which the record of an example's caller differs. */
export type CallerFields = Omit<Partial<TokenRecord>, "client"> & { client?: string | null | undefined };

type Callable = Pick<Endpoint, "credential" | "example" | "responses">;

/**
 * Creates a new caller of an endpoint with its own token or invitation, because a call may end the token.
 *
 * @example
 * const { record, text, from } = exampleCaller(endpoint, { ip: "127.0.0.1", otherIp: "127.0.0.2" });
 */
export const exampleCaller = (
  endpoint: Callable,
  { ip = exampleToken.ip, otherIp = endpoint.example?.from, confirmation = "confirmed", fields }: CallerOptions = {},
): ExampleCaller => {
  const { credential = "token", example } = endpoint;
  const { client = example?.client, ...others } = fields ?? {};
  const given = { ...others, ...(client != null && { client }) };
  const from = example?.from === undefined ? ip : (otherIp ?? ip);
  const isConfirmed = confirmation === "confirmed";
  if (credential === "workload") return { record: { ...exampleTrust, ...given }, text: "", from };
  const needed = asksForConfirmation(endpoint) ? fieldsFor[credential]({ ip, from, isConfirmed }) : { ip };
  const create = credential === "invitation" ? newInvitation : newToken;
  return { ...create({ ...needed, ...given }), from };
};

/** Checks whether an endpoint asks an admin to confirm its caller's address. */
export const asksForConfirmation = ({ responses }: Pick<Callable, "responses">): boolean => 202 in responses;

/** Returns the confirmations with which an endpoint's example succeeds, whatever the tables contain. */
export const confirmationsOf = (endpoint: Callable): (Confirmation | undefined)[] =>
  asksForConfirmation(endpoint) ? ["unconfirmed", "confirmed"] : [undefined];

interface Place {
  ip: string;
  from: string;
  isConfirmed: boolean;
}

const confirmed = (ip: string) => ({ request: requestField({ ip, ...decided("confirmed") }) });

const fieldsFor: Record<Exclude<Credential, "workload">, (place: Place) => Partial<TokenRecord>> = {
  token: ({ ip }) => ({ ip }),
  secret: ({ ip, from, isConfirmed }) => ({ ip, ...(isConfirmed && confirmed(from)) }),
  invitation: ({ from, isConfirmed }) => (isConfirmed ? { ip: from, ...confirmed(from) } : { ip: unknownIp }),
};
