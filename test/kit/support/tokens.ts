import type { AddressRequest } from "../../../lambdas/domain/tokens/address-request.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { formatTokenValue, generateTokenValue, hashSecret } from "../../../lambdas/domain/tokens/token-value.ts";
import { exampleRequest } from "../../../lambdas/domain/tokens/tokens-table.ts";

/** Returns the time this many milliseconds from now, in the stored format. */
export const inMs = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** Creates a token and its record. The token is active unless `fields` say otherwise. */
export const newToken = (fields: Partial<TokenRecord> = {}): { text: string; record: TokenRecord } => {
  const { token_id, secret } = generateTokenValue();
  const record: TokenRecord = {
    token_id,
    secret_hash: hashSecret(secret),
    ip: "198.51.100.7",
    comment: "billing sync",
    issued_at: inMs(-dayMs),
    changed_at: inMs(-dayMs),
    issued_by: "invoke:issue-1",
    ...fields,
  };
  return { text: formatTokenValue({ token_id, secret }), record };
};

/** Creates an invitation and its record. The invitation works for a day unless `fields` say otherwise. */
export const newInvitation = (fields: Partial<TokenRecord> = {}): { text: string; record: TokenRecord } => {
  const { token_id, secret } = generateTokenValue();
  const { record } = newToken({
    token_id,
    invitation_hash: hashSecret(secret),
    invitation_ends_at: inMs(dayMs),
    expires_at: inMs(dayMs),
    ...fields,
  });
  return { text: formatTokenValue({ token_id, secret }, "invitation"), record };
};

/** Returns the field `request` of a record: a request for an address that was made just now, unless `fields` say otherwise. */
export const requestField = (fields: Partial<AddressRequest> = {}): string =>
  JSON.stringify({ ...exampleRequest, requested_at: inMs(0), first_at: inMs(0), ...fields } satisfies AddressRequest);

/** Returns the fields that an admin's decision adds to a request. */
export const decided = (decision: "confirmed" | "rejected") =>
  ({ decision, decided_at: inMs(0), decided_by: "invoke:decide-1" }) as const;

/** Returns an id that no token has. */
export const absentId = (): string => generateTokenValue().token_id;
