import { type DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { reachIf } from "../../dynamodb/conditional-write.ts";
import { unsound } from "../../dynamodb/items.ts";
import type { LimitStore } from "./limit-store.ts";

/** It stands between the look-up of the token and the work, and those two may take 4 s each of the function's 10 s. */
const takeMilliseconds = 1_000;

const keptSeconds = 60 * 60;

/**
 * Counters in a DynamoDB table with the partition key `minute_id`, one for each token and minute. DynamoDB applies the
 * updates of an item one after the other, so the condition lets through as many as the limit says, whoever asks at once. The
 * attribute `delete_at` (Unix seconds) is the table's time-to-live.
 *
 * An update that the SDK repeats after a lost answer takes twice: a limit may be reached too early by it, never too late.
 */
export const dynamodbLimitStore = (client: DynamoDBClient, table: string): LimitStore => ({
  async take(tokenId, { minute, limit }) {
    const updated = await reachIf(
      client.send(
        new UpdateItemCommand({
          TableName: table,
          Key: { minute_id: { S: `${tokenId}/${minute}` } },
          ConditionExpression: "attribute_not_exists(taken) OR taken < :limit",
          UpdateExpression: "ADD taken :one SET delete_at = :delete_at",
          ExpressionAttributeValues: {
            ":one": { N: "1" },
            ":limit": { N: String(limit) },
            ":delete_at": { N: String(Date.parse(minute) / 1000 + keptSeconds) },
          },
          ReturnValues: "UPDATED_NEW",
        }),
        { abortSignal: AbortSignal.timeout(takeMilliseconds) },
      ),
    );
    if (!updated) return undefined;
    const taken = Number(updated.Attributes?.taken?.N);
    if (!(taken >= 1 && taken <= limit)) throw unsound("The counter of a limit is none that the update can have left.");
    return taken;
  },
});
