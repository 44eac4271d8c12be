import { factsOf, type Holder } from "../authenticate.ts";
import { deriveSecret, newNonce } from "../derived-secret.ts";
import { phaseOf } from "../life-cycle.ts";
import { type SuccessionStore, succeed } from "../succession.ts";
import type { TokenRecord, TokenStore } from "../token-store.ts";
import { formatTokenText, newTokenId } from "../token-text.ts";
import { clientActor, refuse } from "./client-changes.ts";
import { repeatedText } from "./repeated-text.ts";

/** Issues a successor for the caller's address, with a text that is derived from the caller's secret. */
export const issueSuccessor = async (
  tokens: SuccessionStore,
  old: TokenRecord,
  { ip, secret, author, now, graceSeconds }: Omit<Holder, "token"> & { now: string; graceSeconds: number },
) => {
  const repeat_nonce = newNonce();
  const text = deriveSecret(secret, { token_id: newTokenId(), nonce: repeat_nonce });
  const by = clientActor(old, ip);
  const succession = await succeed(tokens, old, { text, repeat_nonce, ip, by, author, now, graceSeconds });
  if (succession.made) {
    return { outcome: "issued" as const, token: succession.successor, text: formatTokenText(text) };
  }
  if (succession.failure !== undefined) throw succession.failure;
  return { current: succession.current };
};

/** The text of a token's existing successor if its response may have been lost; otherwise a refusal. */
export const repeatSuccessor = async (
  tokens: Pick<TokenStore, "find">,
  old: TokenRecord,
  { ip, secret, now }: Pick<Holder, "ip" | "secret"> & { now: string },
) => {
  const { successor_id = "" } = old;
  const successor = await tokens.find(successor_id);
  const text = repeatedText(successor, { secret, ip }, now);
  if (successor && text !== undefined) return { outcome: "issued" as const, token: successor, text };
  const facts = factsOf(old, ip);
  return phaseOf(old, now) === "rotated"
    ? refuse("token_already_rotated", { values: { successor_id }, facts })
    : refuse("token_expired", { facts });
};
