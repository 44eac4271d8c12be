import { changesIn, readHistory, shardOf } from "../../dynamodb/change-history.ts";
import { withDeadline } from "../../dynamodb/client/deadline.ts";
import { invalidResponse, toItem, type Values } from "../../dynamodb/records.ts";
import type { Change, Table } from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import { type ChangeNote, formatEntry } from "../history/change-entry.ts";
import { unknownIp } from "./ip-address.ts";
import { conditionOf, isIn, isUnredeemed, lifeCycle, unrotated, working } from "./life-cycle.ts";
import type { Phase } from "./token-state.ts";
import { type TokenChange, type TokenRecord, type TokenStore, tokenSchema } from "./token-store.ts";
import { exchangedShardOf, issuerIndex, issuerIndexName, isTrusted, trustedUntil, trustShard } from "./trust.ts";
import { isTrustId } from "./trust-id.ts";

/** A request waits for this write before it ends, so the write must be quick. */
const recordUseMilliseconds = 1_000;

const daySeconds = 24 * 60 * 60;
const keptAfterEndSeconds = 90 * daySeconds;

/** Shorter than for other tokens, because workload tokens are numerous and short-lived. */
const keptAfterTrustedEndSeconds = 7 * daySeconds;

/**
 * Stores tokens in a DynamoDB table. The attribute `delete_at` (Unix seconds) is the table's time-to-live: 90 days after a token
 * has ended.
 */
export const dynamodbTokenStore = (table: Table<TokenRecord>): TokenStore => {
  /** Changes a record. If `seen` is passed, changes the record only if nothing except uses has changed it since. */
  const change = async (
    token_id: string,
    { set, ...change }: Change<TokenRecord>,
    seen?: TokenRecord,
  ): Promise<TokenChange> => {
    const { outcome, record } = await table.change(
      { token_id },
      {
        ...change,
        set: (time) => ({ change_shard: isTrustId(token_id) ? trustShard : shardOf(token_id), ...set(time) }),
        seen: seen && [seen.changed_at],
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

    async history(token_id) {
      const item = await table.getItem({ token_id });
      return item && readHistory(item);
    },

    async insert({ token_id, ...record }, note) {
      const { made } = await change(token_id, {
        ...possibleFrom(lifeCycle.issue.from),
        set: () => ({ ...record, delete_at: deleteAt(record.expires_at) }),
        entry: entryOf(note),
      });
      if (!made) throw invalidResponse("There is a different token with the id of a new one.");
    },

    async exchange({ token_id, ...record }, note) {
      const delete_at = deletableAfter(record.expires_at ?? record.issued_at, keptAfterTrustedEndSeconds);
      return change(token_id, {
        ...possibleFrom(lifeCycle.exchange.from),
        set: () => ({ ...record, delete_at, change_shard: exchangedShardOf(token_id) }),
        entry: entryOf(note),
      });
    },

    async trustsIssuer(issuer, now) {
      const { Items = [] } = await withDeadline(() =>
        table.query({
          IndexName: issuerIndexName,
          KeyConditionExpression: `#issuer = :issuer AND #${issuerIndex.sort} > :now`,
          ExpressionAttributeValues: toItem({ ":issuer": issuer, ":now": now }),
          Limit: 1,
        }),
      );
      return Items.length > 0;
    },

    trust: ({ token_id, ...record }, note) =>
      change(token_id, {
        condition: "attribute_not_exists(token_id) OR expires_at <= :now OR attribute_exists(revoked_at)",
        appliesTo: (trust, now) => trust === undefined || !isTrusted(trust, now),
        ...settingOf({ ...withoutFields, ...record, ...endOfTrust(record.expires_at ?? null) }, ["trusted_at"]),
        entry: entryOf(note),
      }),

    changeTrust: (seen, { endsTokens, ...terms }, note) => {
      const isMoved = terms.ip !== undefined && terms.ip !== seen.ip && terms.ip !== unknownIp;
      return change(
        seen.token_id,
        {
          condition:
            "attribute_exists(subject) AND attribute_not_exists(revoked_at) AND (attribute_not_exists(expires_at) OR expires_at > :now)",
          appliesTo: (trust, now) => trust !== undefined && isTrusted(trust, now),
          ...settingOf(
            { ...terms, ...(terms.expires_at !== undefined && endOfTrust(terms.expires_at)) },
            endsTokens || isMoved ? ["trusted_at"] : [],
          ),
          entry: entryOf(note),
        },
        seen,
      );
    },

    async noteIssuer(token_id, isReachable, now) {
      const [condition, expression] = isReachable
        ? ["unreachable_since <= :now", "REMOVE unreachable_since"]
        : ["attribute_exists(subject) AND attribute_not_exists(unreachable_since)", "SET unreachable_since = :now"];
      await table.update({ token_id }, { condition, expression, values: { now } });
    },

    update(tokenId, update, note, seen) {
      const fields = { ...update, delete_at: deleteAt(update.expires_at) };
      const from = update.expires_at === undefined ? working : unrotated;
      return change(tokenId, { ...possibleFrom(from), ...settingOf(fields), entry: entryOf(note) }, seen);
    },

    redeem(seen, redemption, author) {
      const fields = { ...redemption, token_expires_at: null, delete_at: deleteAt(redemption.expires_at) };
      const entry = entryOf({ kind: "redeemed", author });
      return change(seen.token_id, { ...possibleFrom(lifeCycle.redeem.from), ...settingOf(fields), entry }, seen);
    },

    request: (seen, fields, note) =>
      change(
        seen.token_id,
        {
          ...possibleFrom(isUnredeemed(seen) ? lifeCycle.ask.from : lifeCycle.ask_to_move.from),
          set: () => ({ ...fields }),
          entry: entryOf(note),
        },
        seen,
      ),

    rotate: (seen, rotation, note) =>
      change(
        seen.token_id,
        {
          ...possibleFrom(seen.successor_id === rotation.successor_id ? lifeCycle.shorten.from : lifeCycle.rotate.from),
          set: () => ({ ...rotation, delete_at: deleteAt(rotation.expires_at) }),
          remove: ["repeat_nonce"],
          entry: entryOf(note),
        },
        seen,
      ),

    revoke: (tokenId, by, author) =>
      change(tokenId, {
        ...possibleFrom(lifeCycle.revoke.from),
        set: () => ({ ...by, delete_at: deleteAt(by.revoked_at) }),
        remove: ["repeat_nonce"],
        entry: entryOf({ kind: "revoked", author }),
      }),

    async settle(tokenId) {
      const { token } = await change(tokenId, {
        condition: "attribute_exists(token_id)",
        appliesTo: (token) => token !== undefined,
        set: () => ({}),
      });
      return token;
    },

    changed: changesIn(table, "changed_at"),

    async recordUse(token_id, used_at) {
      await table.update(
        { token_id },
        {
          condition: "attribute_exists(token_id) AND (attribute_not_exists(last_used_at) OR last_used_at < :used_at)",
          expression: "SET last_used_at = :used_at REMOVE repeat_nonce",
          values: { used_at },
          milliseconds: recordUseMilliseconds,
        },
      );
    },
  };
};

/** Returns the attributes that are derived from the end of a trust. */
const endOfTrust = (end: string | null) => ({ delete_at: deleteAt(end), ...trustedUntil(end) });

/** A new trust does not keep any fields of an earlier trust with the same issuer and subject. */
const withoutFields = Object.fromEntries(
  Object.entries(tokenSchema.shape).flatMap(([name, { def }]) =>
    def.type === "optional" ? [[name, null] as const] : [],
  ),
);

const entryOf = (note: ChangeNote) => (time: string) => formatEntry(time, note);

/** Returns when DynamoDB deletes the record of a token that ends at this time; null if the token has no end. */
const deleteAt = <End extends string | null | undefined>(end: End) => end && deletableAfter(end, keptAfterEndSeconds);

/** Returns the condition that a record is in one of these phases. */
const possibleFrom = (phases: readonly Phase[]): Pick<Change<TokenRecord>, "condition" | "appliesTo"> => ({
  condition: conditionOf(phases),
  appliesTo: (record, now) => isIn(phases, record, now),
});

/** Sets the fields that have a value, removes fields that are null, and sets `stamped` to the time of the change. */
const settingOf = (
  fields: object,
  stamped: readonly (keyof TokenRecord)[] = [],
): Pick<Change<TokenRecord>, "set" | "remove"> => {
  const entries = Object.entries(fields);
  const values: Values = Object.fromEntries(entries.filter(([, value]) => value !== null));
  const set = (time: string) => ({ ...values, ...Object.fromEntries(stamped.map((name) => [name, time])) });
  return { set, remove: entries.flatMap(([name, value]) => (value === null ? [name] : [])) };
};
