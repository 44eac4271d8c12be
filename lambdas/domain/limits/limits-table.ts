import { randomBytes } from "node:crypto";
import * as z from "zod/mini";
import { invalidResponse } from "../../dynamodb/records.ts";
import { type Table, table } from "../../dynamodb/table.ts";
import { deletableAfter } from "../../dynamodb/times.ts";
import { wholeNumber } from "../../shared/validation/fields.ts";
import { limitRange } from "../tokens/token-limits.ts";

/** The requests that a token may send in one clock minute. */
export interface Allowance {
  /** The start of the minute: RFC 3339, UTC, without seconds. */
  minute: string;
  /** Maximum number of requests in that minute. */
  limit: number;
}

/** The number of requests that a token has sent in one minute. */
export interface Counter {
  /** The id of the allowance and the minute, separated by a slash. */
  minute_id: string;
  taken: number;
}

const keptSeconds = 60 * 60;

/**
 * Stores counters in a DynamoDB table, one for each allowance and minute. DynamoDB applies updates of the same item one at a time.
 * The condition therefore admits exactly as many requests as the limit allows, however many arrive at once. The attribute
 * `delete_at` (Unix seconds) is the table's time-to-live.
 *
 * A counter also stores the number of the last request from each environment of a function. An attempt that DynamoDB applies late
 * or twice finds its own number or a higher one there, and counts nothing.
 */
const limitStore = (table: Table<Counter>) => {
  const inTurn = numberInTurn();
  return {
    /**
     * Takes one request, exactly once, from the allowance of a token or of a series of rotated tokens. Returns how many have been
     * taken, including this one, or `undefined` if none was left.
     */
    async take(limitId: string, { minute, limit }: Allowance): Promise<number | undefined> {
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

export type LimitStore = ReturnType<typeof limitStore>;

interface Turn {
  /** The attribute with the numbers of a series. */
  name: string;
  number: number;
}

/**
 * Numbers the requests of this environment. Lambda gives an environment one request at a time, so its requests form one series.
 * Simultaneous requests, as in a local run, get numbers from different series, because they may reach the database in any order.
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

export const limits = table<Counter, LimitStore>({
  partitionKey: "minute_id",
  timeToLive: "delete_at",
  schema: z.object({ minute_id: z.string(), taken: wholeNumber(limitRange) }),
  reads: "strictly",
  rights: {
    // The table only contains counters, so restricting the attributes would protect nothing.
    take: ["UpdateItem"],
  },
  createStore: limitStore,
  example: { minute_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B/2026-11-21T10:15Z", taken: 1 },
});
