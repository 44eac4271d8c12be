import { factsOf, type Holder } from "../authenticate.ts";
import { deriveSecret, newNonce } from "../derived-secret.ts";
import { phaseOf } from "../life-cycle.ts";
import { endOfGrace, type SuccessionStore, succeed } from "../succession.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import { formatTokenText, newTokenId } from "../token-text.ts";
import { clientActor, refuse } from "./client-changes.ts";
import { repeatedText } from "./repeated-text.ts";

interface Request extends Omit<Holder, "token"> {
  now: string;
  graceSeconds: number;
}

/** Issues a successor for the caller's address, with a text that is derived from the caller's secret. */
export const issueSuccessor = async (
  tokens: SuccessionStore,
  old: TokenRecord,
  { ip, secret, author, now, graceSeconds }: Request,
) => {
  const repeat_nonce = newNonce();
  const text = deriveSecret(secret, { token_id: newTokenId(), nonce: repeat_nonce });
  const by = clientActor(old, ip);
  const succession = await succeed(tokens, old, { text, repeat_nonce, ip, by, author, now, graceSeconds });
  if (succession.made) {
    const { successor, oldEndsAt } = succession;
    return { outcome: "issued" as const, token: successor, text: formatTokenText(text), oldEndsAt };
  }
  if (succession.failure !== undefined) throw succession.failure;
  return { current: succession.current };
};

/**
 * The text of a token's existing successor if its response may have been lost; otherwise a refusal. A shorter grace than before ends
 * the token sooner.
 */
export const repeatSuccessor = async (
  tokens: Pick<TokenStore, "find" | "rotate">,
  old: TokenRecord,
  { ip, secret, author, now, graceSeconds }: Request,
) => {
  const { successor_id = "", rotated_at = now, rotated_by = author.by } = old;
  const successor = await tokens.find(successor_id);
  const text = repeatedText(successor, { secret, ip }, now);
  if (!successor || text === undefined) {
    const facts = factsOf(old, ip);
    return phaseOf(old, now) === "rotated"
      ? refuse("token_already_rotated", { values: { successor_id }, facts })
      : refuse("token_expired", { facts });
  }
  const oldEndsAt = endOfGrace(old, { now, graceSeconds });
  if (oldEndsAt !== old.expires_at) {
    const rotation = { expires_at: oldEndsAt, rotated_at, rotated_by, successor_id };
    const note = { kind: "rotated" as const, author, details: { successor_id, expires_at: oldEndsAt } };
    const { made, token } = await tokens.rotate(old, rotation, note);
    if (!made) return { current: token };
  }
  return { outcome: "issued" as const, token: successor, text, oldEndsAt };
};
