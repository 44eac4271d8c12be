import { randomBytes } from "node:crypto";
import { invalidResponse } from "../../dynamodb/records.ts";
import type { Table } from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import type { Counter, LimitStore } from "./limit-store.ts";

/** The call comes between the token look-up and the work, which may take 4 s each of the function's 10 s. */
const takeMilliseconds = 1_000;

const keptSeconds = 60 * 60;

/**
 * Counters in a DynamoDB table, one for each allowance and minute. DynamoDB applies the updates of an item one after the
 * other, so the condition admits exactly as many requests as the limit allows, however many arrive at once. The attribute
 * `delete_at` (Unix seconds) is the table's time-to-live.
 *
 * A counter also has the number of the last request from each environment of a function. An attempt that DynamoDB carries out
 * late, or twice, finds its own number or a higher one there, and counts nothing.
 */
export const dynamodbLimitStore = (table: Table<Counter>): LimitStore => {
  const inTurn = numberInTurn();
  return {
    async take(limitId, { minute, limit }) {
      const turn = inTurn.begin();
      try {
        const updated = await table.update(
          { minute_id: `${limitId}/${minute}` },
          {
            condition: `(attribute_not_exists(taken) OR taken < :limit) AND (attribute_not_exists(${turn.name}) OR ${turn.name} < :number)`,
            expression: `ADD taken :one SET ${turn.name} = :number, delete_at = :delete_at`,
            values: { one: 1, limit, number: turn.number, delete_at: deletableAfter(minute, keptSeconds) },
            returns: "UPDATED_NEW",
            returnsItemIfRefused: true,
            giveUpAfterMilliseconds: takeMilliseconds,
          },
        );
        const { taken, [turn.name]: last } = (updated.applied ? updated.attributes : updated.item) ?? {};
        const isCounted = last?.N === String(turn.number);
        if (updated.applied && !isCounted) throw invalidResponse("The update cannot have left this counter.");
        if (!isCounted) return undefined;
        return table.read({ minute_id: { S: limitId }, ...(taken && { taken }) }).taken;
      } finally {
        inTurn.end(turn);
      }
    },
  };
};

interface Turn {
  /** The attribute with the numbers of a series. */
  name: string;
  number: number;
}

/**
 * Numbers the requests of this environment. Lambda gives it one request at a time, and they form one series. Requests at the
 * same time, as in a local run, are numbered in different series, because they may reach the database in any order.
 */
const numberInTurn = () => {
  const idle: Turn[] = [];
  return {
    begin(): Turn {
      const { name, number } = idle.pop() ?? { name: `by_${randomBytes(5).toString("hex")}`, number: 0 };
      return { name, number: number + 1 };
    },
    end: (turn: Turn): void => void idle.push(turn),
  };
};
