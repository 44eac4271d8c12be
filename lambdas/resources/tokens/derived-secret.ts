import { createHmac, randomBytes } from "node:crypto";
import { secretText, type TokenText } from "./token-text.ts";

/** A random value that a record holds until its token is first used: 16 bytes, base64url. */
export const newNonce = (): string => randomBytes(16).toString("base64url");

/** Whether a text could be a value from `newNonce`. */
export const isNonce = (text: string): boolean => /^[\w-]{21}[AQgw]$/.test(text);

/**
 * The secret of a new token: an HMAC-SHA256 that is keyed by the secret that its client has sent.
 *
 * A client whose response was lost sends the same secret again and gets the same text, although nothing is stored in
 * plain text. The record alone reveals nothing, and neither does the old secret once the nonce has been removed.
 */
export const deriveSecret = (sent: string, { token_id, nonce }: { token_id: string; nonce: string }): TokenText => ({
  token_id,
  secret: secretText(createHmac("sha256", sent).update(`${token_id} ${nonce}`).digest()),
});
