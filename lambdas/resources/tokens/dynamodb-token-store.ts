import { invalidResponse, type Values } from "../../dynamodb/records.ts";
import type { Change, Table } from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import { tokenState } from "./token-state.ts";
import type { TokenChange, TokenRecord, TokenStore } from "./token-store.ts";

/** A request waits for this write at its end, so it must not take long. */
const recordUseMilliseconds = 1_000;

const keptAfterEndSeconds = 90 * 24 * 60 * 60;

const exists = "attribute_exists(token_id)";
const isActive = `${exists} AND attribute_not_exists(revoked_at) AND (attribute_not_exists(expires_at) OR expires_at > :now)`;
const isUnrotated = `${isActive} AND attribute_not_exists(successor_id)`;

/**
 * Tokens in a DynamoDB table. The attribute `delete_at` (Unix seconds) is the table's time-to-live: 90 days after a token
 * has ended.
 */
export const dynamodbTokenStore = (table: Table<TokenRecord>): TokenStore => {
  /** Changes a record; one that was `seen` only if no admin has changed it since. */
  const change = async (
    token_id: string,
    { appliesTo, ...change }: Change<TokenRecord>,
    seen?: TokenRecord,
  ): Promise<TokenChange> => {
    const { outcome, record } = await table.change(
      { token_id },
      {
        ...change,
        appliesTo: (token, now) =>
          appliesTo(token, now) && (seen === undefined || token?.changed_at === seen.changed_at),
        ...(seen?.changed_at !== undefined && { seen: seen.changed_at }),
      },
    );
    return { made: outcome !== "refused", token: record };
  };

  return {
    find: (token_id) => table.get({ token_id }),

    async list(request) {
      const { records, next } = await table.page(request);
      return { tokens: records, ...(next !== undefined && { next }) };
    },

    async insert({ token_id, ...record }) {
      const { made } = await change(token_id, {
        condition: "attribute_not_exists(token_id)",
        appliesTo: (existing) => existing === undefined,
        set: () => ({ ...record, delete_at: deleteAt(record.expires_at) }),
      });
      if (!made) throw invalidResponse("There is a different token with the id of a new one.");
    },

    update(tokenId, update, seen) {
      const setsEnd = update.expires_at !== undefined;
      const fields = { ...update, delete_at: deleteAt(update.expires_at) };
      return change(
        tokenId,
        {
          condition: setsEnd ? isUnrotated : isActive,
          appliesTo: setsEnd ? isUnrotatedToken : isActiveToken,
          set: () => withoutNulls(fields),
          remove: namesOfNulls(fields),
        },
        seen,
      );
    },

    rotate: (old, rotation) =>
      change(
        old.token_id,
        {
          condition: isUnrotated,
          appliesTo: isUnrotatedToken,
          set: () => ({ ...rotation, delete_at: deleteAt(rotation.expires_at) }),
        },
        old,
      ),

    revoke: (tokenId, by) =>
      change(tokenId, {
        condition: isActive,
        appliesTo: isActiveToken,
        set: () => ({ ...by, delete_at: deleteAt(by.revoked_at) }),
      }),

    async settle(tokenId) {
      const { token } = await change(tokenId, {
        condition: exists,
        appliesTo: (token) => token !== undefined,
        set: () => ({}),
      });
      return token;
    },

    async recordUse(token_id, used_at) {
      await table.update(
        { token_id },
        {
          condition: "attribute_exists(token_id) AND (attribute_not_exists(last_used_at) OR last_used_at < :used_at)",
          expression: "SET last_used_at = :used_at",
          values: { used_at },
          giveUpAfterMilliseconds: recordUseMilliseconds,
        },
      );
    },
  };
};

/** When DynamoDB deletes the record of a token that ends at this time; null for one without an end. */
const deleteAt = <End extends string | null | undefined>(end: End) => end && deletableAfter(end, keptAfterEndSeconds);

const withoutNulls = (fields: object): Values =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

const namesOfNulls = (fields: object): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === null ? [name] : []));

const isActiveToken = (token: TokenRecord | undefined, now: string): boolean =>
  token !== undefined && tokenState(token, now) === "active";

const isUnrotatedToken = (token: TokenRecord | undefined, now: string): boolean =>
  isActiveToken(token, now) && token?.successor_id === undefined;
