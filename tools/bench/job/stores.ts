import { DynamoDBClient, GetItemCommand, paginateScan, ScanCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { CreateOutcome, Key, KeyPage } from "../../../lambdas/resources/keys/key-store.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";

/*
 * The calls to DynamoDB that the job needs, with the SDK as installed: no trimming, no settings. They send the same
 * requests as the service.
 */

const client = new DynamoDBClient({});
const { TOKENS_TABLE, KEYS_TABLE } = process.env;

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
  async list({ limit, after }: { limit: number | undefined; after: string | undefined }): Promise<KeyPage> {
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
    const now = new Date().toISOString();
    const { Attributes } = await client.send(
      new UpdateItemCommand({
        TableName: KEYS_TABLE,
        Key: { key_id: { S: key_id } },
        UpdateExpression:
          "SET v_code = if_not_exists(v_code, :v_code), created_at = if_not_exists(created_at, :now), updated_at = if_not_exists(updated_at, :now)",
        ExpressionAttributeValues: { ":v_code": { S: v_code }, ":now": { S: now } },
        ReturnValues: "ALL_OLD",
      }),
    );
    if (!Attributes) return { outcome: "created", key: { key_id, v_code, created_at: now, updated_at: now } };
    const key = recordOf<Key>(Attributes);
    return key.v_code === v_code ? { outcome: "unchanged", key } : { outcome: "taken" };
  },
};
