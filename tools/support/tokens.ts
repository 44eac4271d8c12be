import { hashSecret } from "../../lambdas/resources/tokens/token-secret.ts";
import type { TokenRecord } from "../../lambdas/resources/tokens/token-store.ts";
import { formatTokenText, generateTokenText } from "../../lambdas/resources/tokens/token-text.ts";

/** The time this many milliseconds from now, in the stored format. */
export const inMs = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

export const hourMs = 3_600_000;
export const dayMs = 24 * hourMs;

/** A new token, active unless `fields` say otherwise: its text, and its record. */
export const newToken = (fields: Partial<TokenRecord> = {}): { text: string; record: TokenRecord } => {
  const { token_id, secret } = generateTokenText();
  const record: TokenRecord = {
    token_id,
    secret_hash: hashSecret(secret),
    ip: "198.51.100.7",
    comment: "billing sync",
    issued_at: inMs(-dayMs),
    issued_by: "invoke:issue-1",
    ...fields,
  };
  return { text: formatTokenText({ token_id, secret }), record };
};

/** An id that no token has. */
export const absentId = (): string => generateTokenText().token_id;
