import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { shardOf } from "../../../lambdas/dynamodb/history.ts";
import { type Author, formatEntry } from "../../../lambdas/resources/history/change-entry.ts";
import type { CreateOutcome, Key, KeyPage } from "../../../lambdas/resources/keys/key-store.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";

/*
 * The calls to DynamoDB that the job needs, with the SDK as installed: no trimming, no settings. They send the same requests as
 * the service, which is checked before anything is timed.
 */

const client = new DynamoDBClient({});
const { TOKENS_TABLE, KEYS_TABLE } = process.env;

/** How long a key must not have been changed: see docs/decisions/late-attempts.md. */
const restMilliseconds = 9_000;

type Item = Record<string, { S?: string }>;

/** The attributes of a key that a list needs, which do not include its history. */
const projection = {
  ProjectionExpression: "#key_id, #v_code, #created_at, #updated_at, #deletion_id",
  Select: "SPECIFIC_ATTRIBUTES" as const,
  ExpressionAttributeNames: {
    "#key_id": "key_id",
    "#v_code": "v_code",
    "#created_at": "created_at",
    "#updated_at": "updated_at",
    "#deletion_id": "deletion_id",
  },
};

const recordOf = <Fields extends object>(item: Item): Fields => {
  const fields: Record<string, string | undefined> = {};
  for (const name in item) fields[name] = item[name]?.S;
  return fields as Fields;
};

/** The key without the other attributes of its item. */
const keyOf = (item: Item): Key => {
  const { key_id, v_code, created_at, updated_at } = recordOf<Key>(item);
  return { key_id, v_code, created_at, updated_at };
};

export const tokens = {
  async find(tokenId: string): Promise<TokenRecord | undefined> {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: TOKENS_TABLE, Key: { token_id: { S: tokenId } }, ConsistentRead: true }),
    );
    return Item && recordOf<TokenRecord>(Item);
  },
};

export const keys = {
  async list({
    limit,
    after,
  }: {
    limit: number | undefined;
    after: string | undefined;
  }): Promise<Pick<KeyPage, "keys" | "next">> {
    const { Items = [] } = await client.send(
      new ScanCommand({
        TableName: KEYS_TABLE,
        ...(limit !== undefined && { Limit: limit + 1 }),
        ConsistentRead: true,
        ...projection,
        ...(after !== undefined && { ExclusiveStartKey: { key_id: { S: after } } }),
      }),
    );
    const keys = Items.slice(0, limit).map((item) => recordOf<Key>(item));
    const last = limit !== undefined && Items.length > limit ? keys.at(-1) : undefined;
    return last ? { keys, next: last.key_id } : { keys };
  },

  async create({ key_id, v_code }: Pick<Key, "key_id" | "v_code">, author: Author): Promise<CreateOutcome> {
    const now = new Date();
    const time = { S: now.toISOString() };
    const command = new UpdateItemCommand({
      TableName: KEYS_TABLE,
      Key: { key_id: { S: key_id } },
      UpdateExpression:
        "SET #v_code = :v_code, #created_at = :created_at, #change_shard = :change_shard, #updated_at = :updated_at REMOVE #deletion_id, #delete_at ADD #history :entry",
      ConditionExpression:
        "(attribute_not_exists(key_id) OR (attribute_exists(deletion_id) AND attribute_not_exists(v_code))) AND (attribute_not_exists(#updated_at) OR #updated_at < :rested) AND (attribute_not_exists(#history) OR size(#history) < :most_entries)",
      ExpressionAttributeNames: {
        "#v_code": "v_code",
        "#created_at": "created_at",
        "#change_shard": "change_shard",
        "#updated_at": "updated_at",
        "#deletion_id": "deletion_id",
        "#delete_at": "delete_at",
        "#history": "history",
      },
      ExpressionAttributeValues: {
        ":v_code": { S: v_code },
        ":created_at": time,
        ":change_shard": { S: shardOf(key_id) },
        ":updated_at": time,
        ":entry": { SS: [formatEntry(time.S, { kind: "created", author })] },
        ":most_entries": { N: "20" },
        ":rested": { S: new Date(now.getTime() - restMilliseconds).toISOString() },
      },
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    try {
      const { Attributes = {} } = await client.send(command);
      return { outcome: "created", key: keyOf(Attributes) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
      const key = keyOf(error.Item);
      return key.v_code === v_code ? { outcome: "unchanged", key } : { outcome: "taken" };
    }
  },
};
