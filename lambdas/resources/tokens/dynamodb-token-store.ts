import { type DynamoDBClient, GetItemCommand, PutItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { reach } from "../../dynamodb/client.ts";
import { reachIf } from "../../dynamodb/conditional-write.ts";
import { fromItem, type Item, toItem, unsound } from "../../dynamodb/items.ts";
import { scanPage } from "../../dynamodb/scan-page.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";

/** A request waits for it, and would rather not. */
const recordUseMilliseconds = 1_000;

const keptAfterEndSeconds = 90 * 24 * 60 * 60;

const isActive =
  "attribute_exists(token_id) AND attribute_not_exists(revoked_at) AND (attribute_not_exists(expires_at) OR expires_at > :now)";

interface TokenChange {
  changes: Item;
  removed?: string[];
  now: string;
  condition: string;
}

/**
 * Tokens in a DynamoDB table with the partition key `token_id`. The attribute `delete_at` (Unix seconds) is the table's
 * time-to-live: 90 days after a token has ended.
 */
export const dynamodbTokenStore = (client: DynamoDBClient, table: string): TokenStore => {
  /** Sets and removes attributes of a token if `condition` holds at `now`; `undefined` if not. */
  const changeToken = async (
    tokenId: string,
    { changes, removed = [], now, condition }: TokenChange,
  ): Promise<TokenRecord | undefined> => {
    const sets = `SET ${Object.keys(changes).map((name) => `${name} = :${name}`)}`;
    const changed = await reachIf(
      client.send(
        new UpdateItemCommand({
          TableName: table,
          Key: { token_id: { S: tokenId } },
          ConditionExpression: condition,
          UpdateExpression: removed.length > 0 ? `${sets} REMOVE ${removed}` : sets,
          ExpressionAttributeValues: {
            ":now": { S: now },
            ...Object.fromEntries(Object.entries(changes).map(([name, value]) => [`:${name}`, value])),
          },
          ReturnValues: "ALL_NEW",
        }),
      ),
    );
    return changed?.Attributes && toRecord(changed.Attributes, { token_id: tokenId });
  };

  return {
    async find(tokenId) {
      const { Item } = await reach(
        client.send(new GetItemCommand({ TableName: table, Key: { token_id: { S: tokenId } }, ConsistentRead: true })),
      );
      return Item && toRecord(Item, { token_id: tokenId });
    },

    async list({ limit, after }) {
      const { items, ...page } = await scanPage({ client, table, partitionKey: "token_id", limit, after });
      return { ...page, tokens: items.map((item) => toRecord(item)) };
    },

    async insert(record) {
      const { expires_at } = record;
      const { Attributes } = await reach(
        client.send(
          new PutItemCommand({
            TableName: table,
            Item: { ...toItem(record), ...(expires_at !== undefined && { delete_at: deleteAt(expires_at) }) },
          }),
        ),
      );
      if (Attributes) throw unsound("A call that answers nothing was answered with attributes.");
    },

    update: (tokenId, { rate_limit, ...by }) =>
      changeToken(tokenId, {
        changes: toItem({ ...by, rate_limit: rate_limit ?? undefined }),
        removed: rate_limit === null ? ["rate_limit"] : [],
        now: by.updated_at,
        condition: isActive,
      }),

    rotate: (tokenId, rotation) =>
      changeToken(tokenId, {
        changes: { ...toItem(rotation), delete_at: deleteAt(rotation.expires_at) },
        now: rotation.rotated_at,
        condition: `${isActive} AND attribute_not_exists(successor_id)`,
      }),

    revoke: (tokenId, by) =>
      changeToken(tokenId, {
        changes: { ...toItem(by), delete_at: deleteAt(by.revoked_at) },
        now: by.revoked_at,
        condition: isActive,
      }),

    async recordUse(tokenId, usedAt) {
      await reachIf(
        client.send(
          new UpdateItemCommand({
            TableName: table,
            Key: { token_id: { S: tokenId } },
            ConditionExpression:
              "attribute_exists(token_id) AND (attribute_not_exists(last_used_at) OR last_used_at < :used_at)",
            UpdateExpression: "SET last_used_at = :used_at",
            ExpressionAttributeValues: { ":used_at": { S: usedAt } },
          }),
          { abortSignal: AbortSignal.timeout(recordUseMilliseconds) },
        ),
      );
    },
  };
};

const deleteAt = (endsAt: string) => ({ N: String(Math.floor(Date.parse(endsAt) / 1000) + keptAfterEndSeconds) });

const required = ["token_id", "secret_hash", "ip", "comment", "issued_at", "issued_by"] as const;

const toRecord = (item: Item, key?: Pick<TokenRecord, "token_id">): TokenRecord =>
  fromItem<TokenRecord>(item, { required, numbers: ["rate_limit"], ...(key && { key }) });
