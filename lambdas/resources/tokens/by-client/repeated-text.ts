import { toTime } from "../../../dynamodb/times.ts";
import type { Holder } from "../authenticate.ts";
import { deriveSecret } from "../derived-secret.ts";
import { beganAt, isIn, working } from "../life-cycle.ts";
import { matchesHash } from "../token-secret.ts";
import type { TokenRecord } from "../token-store.ts";
import { formatTokenText } from "../token-text.ts";

/** How long the text of a new token can be requested again. */
const repeatableMilliseconds = 15 * 60 * 1000;

/**
 * The text of a token that was made with this credential and that the client may not have received: the same call from
 * its address returns it again until the token is first used, for at most 15 minutes. `undefined` in any other case.
 */
export const repeatedText = (
  record: TokenRecord | undefined,
  { secret, ip }: Pick<Holder, "secret" | "ip">,
  now: string,
): string | undefined => {
  if (!record || record.ip !== ip || !isIn(working, record, now)) return undefined;
  const { token_id, repeat_nonce: nonce, secret_hash } = record;
  if (nonce === undefined || now >= toTime(Date.parse(beganAt(record)) + repeatableMilliseconds)) return undefined;
  const text = deriveSecret(secret, { token_id, nonce });
  return matchesHash(text.secret, secret_hash) ? formatTokenText(text) : undefined;
};
