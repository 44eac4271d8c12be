import { invalidResponse } from "../../dynamodb/records.ts";
import type { Table } from "../../dynamodb/table.ts";
import type { Counter, LimitStore } from "./limit-store.ts";

/** The call comes between the token look-up and the work, which may take 4 s each of the function's 10 s. */
const takeMilliseconds = 1_000;

const keptSeconds = 60 * 60;

/**
 * Counters in a DynamoDB table, one for each token and minute. DynamoDB applies the updates of an item one after the other,
 * so the condition admits exactly as many requests as the limit allows, however many arrive at once. The attribute
 * `delete_at` (Unix seconds) is the table's time-to-live.
 *
 * An update that the SDK repeats after a lost answer counts twice: a limit may then be reached too early, never too late.
 */
export const dynamodbLimitStore = (table: Table<Counter>): LimitStore => ({
  async take(tokenId, { minute, limit }) {
    const { applied, attributes } = await table.update(
      { minute_id: `${tokenId}/${minute}` },
      {
        condition: "attribute_not_exists(taken) OR taken < :limit",
        expression: "ADD taken :one SET delete_at = :delete_at",
        values: { one: 1, limit, delete_at: Date.parse(minute) / 1000 + keptSeconds },
        returns: "UPDATED_NEW",
        giveUpAfterMilliseconds: takeMilliseconds,
      },
    );
    if (!applied) return undefined;
    const taken = Number(attributes?.taken?.N);
    if (!(taken >= 1 && taken <= limit)) throw invalidResponse("The update cannot have left this counter.");
    return taken;
  },
});
