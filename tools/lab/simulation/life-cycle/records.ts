import type { Item } from "cdk-local-runner/database";
import { deriveSecret, hashSecret, parseTokenValue } from "../../../../lambdas/domain/tokens/token-value.ts";
import type { Database } from "../database/database.ts";
import { addressOf } from "../situation.ts";
import { isEnded, type Token, type Tokens } from "./life.ts";

/** The real state at a moment: the items of the database, and the time. */
export interface Moment {
  database: Database;
  /** Unix milliseconds. */
  now: number;
}

/** The token values that somebody has: that of the invitation, and those of tokens by their positions. */
type Text = "invitation" | number;

/** The service in a state of the model: the stored records, and the codes and token values that people have received. */
export interface Reality {
  moment: Moment;
  /** By the position of the token. An invitation has the position of the first token. */
  ids: readonly string[];
  texts: ReadonlyMap<Text, string>;
  /** The code of the last request of each token. */
  codes: ReadonlyMap<number, string>;
}

/** The placeholder in a record whose address is not known. */
const noIp = "::";

/** Returns the differences between the records and the model, regardless of the responses. */
export const recordProblem = ({ moment, ids }: Reality, tokens: Tokens): string | undefined => {
  const items = moment.database.itemsOf("tokens");
  const now = new Date(moment.now).toISOString();
  for (const [place, token] of tokens.entries()) {
    const item = items.get(ids[place] ?? "") ?? {};
    for (const [name, [expect, read]] of Object.entries(compared)) {
      const [expected, actual] = [expect(token, ids[place + 1]), read(item, now)];
      if (actual !== expected)
        return `in the record of token ${place}, the ${name} is ${actual} instead of ${expected}`;
    }
  }
  return undefined;
};

type Expect = (token: Token, successor: string | undefined) => unknown;
type Read = (item: Item, now: string) => unknown;

/** What is compared, in the model and in the record. */
const compared: Readonly<Record<string, readonly [Expect, Read]>> = {
  address: [
    ({ ip, request }) => {
      const bound = ip ?? (request?.decision === "confirmed" ? request.ip : null);
      return bound === null ? noIp : addressOf(bound);
    },
    ({ ip }) => ip?.S,
  ],
  end: [
    (token) => (token.isRevoked ? "revoked" : isEnded(token) ? "expired" : "open"),
    ({ revoked_at, expires_at }, now) =>
      revoked_at ? "revoked" : (expires_at?.S ?? "9999") <= now ? "expired" : "open",
  ],
  nonce: [({ hasNonce }) => hasNonce, ({ repeat_nonce }) => repeat_nonce !== undefined],
  invitation: [
    ({ isInvitation }) => isInvitation,
    ({ invitation_hash, redeemed_at }) => invitation_hash !== undefined && redeemed_at === undefined,
  ],
  successor: [(_, successor) => successor, ({ successor_id }) => successor_id?.S],
  request: [
    ({ request }) => request && `${addressOf(request.ip)} ${request.decision}`,
    ({ request }) => {
      const stored = request?.S === undefined ? null : JSON.parse(request.S);
      return stored && `${stored.ip} ${stored.decision ?? null}`;
    },
  ],
};

/**
 * Tries what somebody who reads the database could try. Nothing in the database, and nothing computed from it, may be accepted.
 * Even together with an older token value, nothing may yield the value of a token that was used.
 */
export const doorProblem = ({ moment, ids, texts }: Reality, tokens: Tokens): string | undefined => {
  const items = moment.database.itemsOf("tokens");
  for (const [place, id] of ids.entries()) {
    const item = items.get(id);
    const token = tokens[place];
    if (!item || !token) continue;
    const stored = storedTexts(item);
    const secrets = [...stored, ...stored.flatMap((key) => derived(key, id, stored))];
    if (opensWith(item, secrets)) return `The record of token ${place} opens a door by itself.`;

    const isOver = token.repeats === 0 && !token.hasNonce;
    const older = [...texts].flatMap(([text, value]) => (text === "invitation" || text < place ? [value] : []));
    const guesses = older.flatMap((text) => derived(parseTokenValue(text)?.secret ?? "", id, stored));
    if (isOver && opensWith({ secret_hash: item.secret_hash ?? { S: "" } }, guesses)) {
      return `The text of token ${place} can be derived from an older one.`;
    }
  }
  return undefined;
};

const storedTexts = (item: Item): string[] => Object.values(item).flatMap(({ S }) => (S === undefined ? [] : [S]));

/** Returns the values that somebody who knows how the service works can derive from a key and the stored values. */
const derived = (key: string, token_id: string, stored: readonly string[]): string[] =>
  stored.map((nonce) => deriveSecret(key, { token_id, nonce }).secret);

const opensWith = ({ secret_hash, invitation_hash }: Item, secrets: readonly string[]): boolean => {
  const hashes = new Set([secret_hash?.S, invitation_hash?.S]);
  return secrets.some((secret) => hashes.has(hashSecret(secret)));
};
