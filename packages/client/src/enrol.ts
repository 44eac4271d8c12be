import type { IntegrationClientOptions } from "./integration-client.ts";
import type { IssuedToken } from "./issued-token.ts";
import { createTokenCalls, type MoveOptions } from "./token-calls.ts";

export interface EnrolOptions extends Omit<IntegrationClientOptions, "token" | "onTokenExpiring">, MoveOptions {
  /** The text that an admin has sent: `iti_…`. It works once. */
  invitation: string;
}

/**
 * Redeems an invitation: the token is made for this machine, and nobody else sees it. If the invitation names no address, an
 * admin has to confirm the one that the service sees, by its code and within 15 minutes.
 *
 * @throws {ApiFailure} if the invitation is refused, or with the code `not_confirmed`
 *
 * @example
 * const { token } = await enrol({
 *   baseUrl: "https://integration.example.com",
 *   invitation,
 *   onConfirmation: ({ ip, code }) => console.log(`Tell the admin: ${ip}, ${code}`),
 * });
 */
export const enrol = ({
  baseUrl,
  invitation,
  retry = {},
  fetch = globalThis.fetch,
  ...options
}: EnrolOptions): Promise<IssuedToken> => createTokenCalls({ baseUrl, fetch, retry }).redeem(invitation, options);
