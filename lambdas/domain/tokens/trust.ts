import { shardOf } from "../../dynamodb/change-history.ts";
import type { Item } from "../../dynamodb/records.ts";
import { unknownIp } from "./ip-address.ts";
import { isTrust } from "./life-cycle.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";
import { idFrom } from "./token-value.ts";

/*
 * Trusted workloads: who may exchange their platform's JWTs for tokens. Trusts are stored among the tokens, so that the functions
 * that check tokens can read them without additional permissions. No secret exists for a trust's record.
 */

/** The record of a trust. */
export type Trust = TokenRecord & Required<Pick<TokenRecord, "issuer" | "subject" | "token_seconds" | "trusted_at">>;

/** The shard of the index of changes that contains only trusts. */
export const trustShard = "trusts";

/** The index that finds trusts by their issuer and end. */
export const issuerIndexName = "by_issuer";
export const issuerIndex = { partition: ["issuer"], sort: "trusted_until", attributes: [] } as const;

/** Returns a trust's end as that index stores it. */
export const trustedUntil = (expires_at: string | null | undefined) => ({
  [issuerIndex.sort]: expires_at ?? "9999-12-31T23:59:59.999Z",
});

/**
 * Returns the shard of a workload's token that nobody has changed since the exchange. These tokens have separate shards because
 * they far outnumber the changes that people make.
 */
export const exchangedShardOf = (id: string): string => exchangedShard(shardOf(id));
export const exchangedShard = (liveShard: string): string => `exchanged-${liveShard}`;

/** The issuer's name in a local run. No host on the internet can have this name. */
export const localIssuer = "https://issuer.localhost";

const idTime = 0;

/** Returns the id of the trust for a subject of an issuer. There is at most one. */
export const trustIdOf = (issuer: string, subject: string): string => idFrom(JSON.stringify([issuer, subject]), idTime);

/** Returns a record as a trust; `undefined` if it is not one. */
export const asTrust = (record: TokenRecord | undefined): Trust | undefined =>
  record && isTrust(record) ? (record as Trust) : undefined;

/** Checks whether a record is a trust that has not ended at a given time (RFC 3339, UTC, ms). */
export const isTrusted = (record: TokenRecord, now: string): boolean =>
  isTrust(record) && record.revoked_at === undefined && (record.expires_at === undefined || record.expires_at > now);

/** Stored in a trust's record instead of the hash of a secret: the hash of a string that cannot be a secret. */
export const noSecretHash = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";

/** Returns the only address that a workload may call from; `undefined` if it may call from any address. */
export const addressOf = ({ ip }: Trust): string | undefined => (ip === unknownIp ? undefined : ip);

/** Reads all trusts, including ended ones. A trust created within the last second may be missing. */
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
 * Applies a trust to its token. The token gets the trust's rate limit. It counts as revoked if the trust has ended, if the trust's
 * tokens have been ended since, or if the trust now names another address. Other tokens are returned unchanged, without a lookup.
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
