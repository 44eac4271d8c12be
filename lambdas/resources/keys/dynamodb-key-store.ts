import { DeleteItemCommand, type DynamoDBClient, GetItemCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { reach } from "../../dynamodb/client.ts";
import { reachIf } from "../../dynamodb/conditional-write.ts";
import { fromItem, type Item } from "../../dynamodb/items.ts";
import { scanPage } from "../../dynamodb/scan-page.ts";
import type { Key, KeyStore } from "./key-store.ts";

/**
 * Keys in a DynamoDB table with the partition key `key_id`.
 *
 * `create` is an update that leaves every attribute that is there as it is, and answers the item from before it. One round
 * trip thus creates or tells what was there, and a create that the SDK repeats after a lost answer finds its own pair, not
 * a conflict.
 */
export const dynamodbKeyStore = (client: DynamoDBClient, table: string): KeyStore => ({
  async list({ limit, after }) {
    const { items, ...page } = await scanPage({ client, table, partitionKey: "key_id", limit, after });
    return { ...page, keys: items.map((item) => toKey(item)) };
  },

  async create({ key_id, v_code }) {
    const now = new Date().toISOString();
    const { Attributes } = await reach(
      client.send(
        new UpdateItemCommand({
          TableName: table,
          Key: { key_id: { S: key_id } },
          UpdateExpression:
            "SET v_code = if_not_exists(v_code, :v_code), created_at = if_not_exists(created_at, :now), updated_at = if_not_exists(updated_at, :now)",
          ExpressionAttributeValues: { ":v_code": { S: v_code }, ":now": { S: now } },
          ReturnValues: "ALL_OLD",
        }),
      ),
    );
    if (!Attributes) return { outcome: "created", key: { key_id, v_code, created_at: now, updated_at: now } };
    const key = toKey(Attributes, { key_id });
    return key.v_code === v_code ? { outcome: "unchanged", key } : { outcome: "taken" };
  },

  async get(keyId) {
    const { Item } = await reach(
      client.send(new GetItemCommand({ TableName: table, Key: { key_id: { S: keyId } }, ConsistentRead: true })),
    );
    return Item && toKey(Item, { key_id: keyId });
  },

  async replace({ key_id, v_code }) {
    const replaced = await reachIf(
      client.send(
        new UpdateItemCommand({
          TableName: table,
          Key: { key_id: { S: key_id } },
          ConditionExpression: "attribute_exists(key_id)",
          UpdateExpression: "SET v_code = :v_code, updated_at = :now",
          ExpressionAttributeValues: { ":v_code": { S: v_code }, ":now": { S: new Date().toISOString() } },
          ReturnValues: "ALL_NEW",
        }),
      ),
    );
    return replaced?.Attributes && toKey(replaced.Attributes, { key_id });
  },

  async delete(keyId) {
    const { Attributes, $metadata } = await reach(
      client.send(new DeleteItemCommand({ TableName: table, Key: { key_id: { S: keyId } }, ReturnValues: "ALL_OLD" })),
    );
    if (Attributes) return toKey(Attributes, { key_id: keyId }).key_id === keyId;
    // What a repeated attempt no longer finds, the one before it deleted, whose answer was lost.
    return ($metadata.attempts ?? 1) > 1;
  },
});

const required = ["key_id", "v_code", "created_at", "updated_at"] as const;

const toKey = (item: Item, key?: Pick<Key, "key_id">): Key => fromItem<Key>(item, { required, ...(key && { key }) });
