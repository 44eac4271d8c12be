import { shardOf } from "../../dynamodb/history.ts";
import type { Item } from "../../dynamodb/records.ts";
import { unknownIp } from "./ip-address.ts";
import { isTrust } from "./life-cycle.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";
import { idFrom } from "./token-text.ts";

/*
 * Trusted workloads: who may exchange a JWT of its platform for a token. A trust is stored among the tokens, so that the functions that
 * check tokens can read it without any other right. Nobody has a secret for its record.
 */

/** The record of a trust. */
export type Trust = TokenRecord & Required<Pick<TokenRecord, "issuer" | "subject" | "token_seconds" | "trusted_at">>;

/** The shard of the index of changes that trusts are in, and nothing else. */
export const trustShard = "trusts";

/** The index that finds trusts by their issuer and their end. */
export const issuerIndex = { name: "by_issuer", partitionKey: "issuer", sortKey: "trusted_until" } as const;

/** The end of a trust in that index. */
export const trustedUntil = (expires_at: string | null | undefined) => ({
  [issuerIndex.sortKey]: expires_at ?? "9999-12-31T23:59:59.999Z",
});

/** The shard of a token that a workload got and nobody has changed since: they are too many among what people do. */
export const exchangedShardOf = (id: string): string => exchangedShard(shardOf(id));
export const exchangedShard = (liveShard: string): string => `exchanged-${liveShard}`;

/** The name of the issuer in a local run. No host on the internet can have it. */
export const localIssuer = "https://issuer.localhost";

const idTime = 0;

/** The id of the trust for a subject of an issuer: there is at most one. */
export const trustIdOf = (issuer: string, subject: string): string => idFrom(JSON.stringify([issuer, subject]), idTime);

/** A record's trust, if it is one. */
export const asTrust = (record: TokenRecord | undefined): Trust | undefined =>
  record && isTrust(record) ? (record as Trust) : undefined;

/** Whether a record is a trust that has not ended at a time (RFC 3339, UTC, ms). */
export const isTrusted = (record: TokenRecord, now: string): boolean =>
  isTrust(record) && record.revoked_at === undefined && (record.expires_at === undefined || record.expires_at > now);

/** What the record of a trust has in place of the hash of a secret: the hash of a text that no secret can be. */
export const noSecretHash = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";

/** The one address that a workload must call from; `undefined` if it may call from any. */
export const addressOf = ({ ip }: Trust): string | undefined => (ip === unknownIp ? undefined : ip);

/** Every trust, those that have ended among them. A new one may be missing for a second. */
export const readTrusts = async (tokens: Pick<TokenStore, "find" | "changed">): Promise<Trust[]> => {
  const trusts: Trust[] = [];
  let after: Item | undefined;
  do {
    const { items, next } = await tokens.changed({ shard: trustShard, limit: pageSize, after });
    const records = await Promise.all(items.map(({ token_id }) => tokens.find(token_id?.S ?? "")));
    trusts.push(...records.flatMap((record) => asTrust(record) ?? []));
    after = next;
  } while (after !== undefined);
  return trusts;
};

const pageSize = 100;

/**
 * A token as its trust leaves it: revoked if the trust has ended, if its tokens were ended since, or if it now names another
 * address, and with the limit of the trust. Other tokens stay as they are, without a look-up.
 */
export const underTrust = async (token: TokenRecord, tokens: Pick<TokenStore, "find">): Promise<TokenRecord> => {
  if (token.trust_id === undefined) return token;
  const { rate_limit: _, ...rest } = token;
  const trust = await tokens.find(token.trust_id);
  const now = new Date().toISOString();
  const isCurrent =
    trust && isTrusted(trust, now) && trust.trusted_at === token.trusted_at && [token.ip, unknownIp].includes(trust.ip);
  return {
    ...rest,
    ...(trust?.rate_limit !== undefined && { rate_limit: trust.rate_limit }),
    ...(!isCurrent && {
      revoked_at: token.revoked_at ?? trust?.updated_at ?? now,
      revoked_by: token.revoked_by ?? trust?.updated_by ?? "trust",
    }),
  };
};
