import type { Item } from "cdk-local-runner/dynamodb-model";
import { deriveSecret } from "../../../lambdas/resources/tokens/derived-secret.ts";
import { hashSecret } from "../../../lambdas/resources/tokens/token-secret.ts";
import { parseTokenText } from "../../../lambdas/resources/tokens/token-text.ts";
import type { Tokens } from "./life.ts";
import type { Reality } from "./replay.ts";

/**
 * What somebody who reads the database can do. Nothing that it contains, and nothing computed from it, may be accepted.
 * Even together with an older text, nothing may give the text of a token that was used.
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
    const guesses = older.flatMap((text) => derived(parseTokenText(text)?.secret ?? "", id, stored));
    if (isOver && opensWith({ secret_hash: item.secret_hash ?? { S: "" } }, guesses)) {
      return `The text of token ${place} can be derived from an older one.`;
    }
  }
  return undefined;
};

const storedTexts = (item: Item): string[] => Object.values(item).flatMap(({ S }) => (S === undefined ? [] : [S]));

/** What somebody who knows how the service works derives from a key and what is stored. */
const derived = (key: string, token_id: string, stored: readonly string[]): string[] =>
  stored.map((nonce) => deriveSecret(key, { token_id, nonce }).secret);

const opensWith = ({ secret_hash, invitation_hash }: Item, secrets: readonly string[]): boolean => {
  const hashes = new Set([secret_hash?.S, invitation_hash?.S]);
  return secrets.some((secret) => hashes.has(hashSecret(secret)));
};
