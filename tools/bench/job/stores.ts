import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  GetItemCommand,
  paginateScan,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
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

const recordOf = <Fields extends object>(item: Item): Fields => {
  const fields: Record<string, string | undefined> = {};
  for (const name in item) fields[name] = item[name]?.S;
  return fields as Fields;
};

export const tokens = {
  async find(tokenId: string): Promise<TokenRecord | undefined> {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: TOKENS_TABLE, Key: { token_id: { S: tokenId } }, ConsistentRead: true }),
    );
    return Item && recordOf<TokenRecord>(Item);
  },
};

const allKeys = async (): Promise<Key[]> => {
  const keys: Key[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: KEYS_TABLE, ConsistentRead: true })) {
    for (const item of Items) keys.push(recordOf<Key>(item));
  }
  return keys;
};

export const keys = {
  async list({
    limit,
    after,
  }: {
    limit: number | undefined;
    after: string | undefined;
  }): Promise<Pick<KeyPage, "keys" | "next">> {
    if (limit === undefined) return { keys: await allKeys() };
    const { Items = [] } = await client.send(
      new ScanCommand({
        TableName: KEYS_TABLE,
        Limit: limit + 1,
        ConsistentRead: true,
        ...(after !== undefined && { ExclusiveStartKey: { key_id: { S: after } } }),
      }),
    );
    const keys = Items.slice(0, limit).map((item) => recordOf<Key>(item));
    const last = Items.length > limit ? keys.at(-1) : undefined;
    return last ? { keys, next: last.key_id } : { keys };
  },

  async create({ key_id, v_code }: Pick<Key, "key_id" | "v_code">): Promise<CreateOutcome> {
    const now = new Date();
    const time = { S: now.toISOString() };
    const command = new UpdateItemCommand({
      TableName: KEYS_TABLE,
      Key: { key_id: { S: key_id } },
      UpdateExpression:
        "SET #v_code = :v_code, #created_at = :created_at, #updated_at = :updated_at REMOVE deletion_id, delete_at",
      ConditionExpression:
        "(attribute_not_exists(key_id) OR (attribute_exists(deletion_id) AND attribute_not_exists(v_code))) AND (attribute_not_exists(updated_at) OR updated_at < :rested)",
      ExpressionAttributeNames: { "#v_code": "v_code", "#created_at": "created_at", "#updated_at": "updated_at" },
      ExpressionAttributeValues: {
        ":v_code": { S: v_code },
        ":created_at": time,
        ":updated_at": time,
        ":rested": { S: new Date(now.getTime() - restMilliseconds).toISOString() },
      },
      ReturnValues: "ALL_NEW",
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    try {
      const { Attributes = {} } = await client.send(command);
      return { outcome: "created", key: recordOf<Key>(Attributes) };
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException) || !error.Item) throw error;
      const key = recordOf<Key>(error.Item);
      return key.v_code === v_code ? { outcome: "unchanged", key } : { outcome: "taken" };
    }
  },
};
