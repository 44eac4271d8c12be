import { randomUUID } from "node:crypto";
import { type DynamoDBClient, TransactionCanceledException, TransactWriteItemsCommand } from "@aws-sdk/client-dynamodb";
import { ApiError } from "../shared/errors/api-error.ts";
import { attemptAt, giveUpMilliseconds, type Made, stateOf } from "./changes.ts";
import { withDeadline } from "./client/deadline.ts";
import { followsLostAttempt } from "./client/lost-attempts.ts";
import type { Plan, StoredValues } from "./record-plans.ts";
import { type Item, invalidResponse } from "./records.ts";
import type { AnyTable, Table, UpdateInput } from "./table.ts";

/*
 * Several changes that are made atomically. All records are read first. Each change then requires that its record is
 * exactly the one that was read, so an attempt that takes effect late cannot undo anything. DynamoDB makes an attempt that is sent
 * again only once, because it has an idempotency token.
 */

/** A change of one record of a table, as a transaction plans it. */
interface PlannedChange extends Plan {
  table: Table<StoredValues>;
}

/** The tables that a transaction may change, by the name of their store. */
export type TransactionTables = Readonly<Record<string, { declaration: AnyTable; table: Table<object> }>>;

const mostTables = 4;
const mostRecords = 100;

/** Returns the function that makes changes of these tables together: see `Transaction`. */
export const transactionOn = (client: DynamoDBClient, tables: TransactionTables) => {
  const planners = Object.fromEntries(
    Object.entries(tables).map(([store, { declaration, table }]) => [
      store,
      Object.fromEntries(
        Object.entries(declaration.plans?.() ?? {}).map(([operation, plan]) => [
          operation,
          (...args: never[]) => ({ ...(plan as (...args: never[]) => Plan)(...args), table }),
        ]),
      ),
    ]),
  );
  return (plan: (stores: typeof planners) => readonly PlannedChange[]): Promise<object> => make(client, plan(planners));
};

const make = async (client: DynamoDBClient, planned: readonly PlannedChange[]): Promise<object> => {
  if (planned.length === 0) return { done: true, results: [] };
  assertPossible(planned);
  const began = Date.now();
  for (;;) {
    const { updates, results } = await attemptOf(planned);
    if (!updates) return { done: false, results };
    if (await isWritten(client, updates)) return { done: true, results };
    if (Date.now() - began > giveUpMilliseconds) {
      throw new ApiError("unavailable", { cause: new Error("Other changes of the same records came first.") });
    }
  }
};

const assertPossible = (planned: readonly PlannedChange[]): void => {
  const keys = new Set(planned.map(({ table, key }) => JSON.stringify([table.tableName, key])));
  const tables = new Set(planned.map(({ table }) => table.tableName));
  if (keys.size !== planned.length) throw new Error("A transaction can change each record only once.");
  if (tables.size > mostTables || planned.length > mostRecords) {
    throw new Error(`A transaction can change at most ${mostRecords} records of ${mostTables} tables.`);
  }
};

/**
 * Reads all records, and returns the updates that make the changes, and their results. The time of the changes is taken after the
 * last read, so that at most one operation lies between it and the acknowledgement.
 */
const attemptOf = async (planned: readonly PlannedChange[]) => {
  const items = await Promise.all(planned.map(({ table, key }) => table.getItem(key)));
  const read = planned.map((plan, place) => {
    const item = items[place];
    return { ...plan, item, state: stateOf(item, plan.change, plan.table.changed) };
  });
  if (!read.every(({ state }) => state.applies)) {
    const results = read.map(({ state, refused }) => (state.applies ? undefined : refused(state.record)));
    return { updates: undefined, results };
  }
  const attempts = read.map(({ table, key, change, item, state, made }) => {
    const attempt = attemptAt(change, state, table.changed);
    return {
      update: table.updateInput(key, attempt.update),
      result: made(table.readUnlessDeleted(itemAfter({ ...table.changed.toItem(key), ...item }, attempt.made))),
    };
  });
  return { updates: attempts.map(({ update }) => update), results: attempts.map(({ result }) => result) };
};

/** Returns what a change makes of an item. */
const itemAfter = (item: Item, { item: values, once, removed }: Made): Item =>
  Object.fromEntries(Object.entries({ ...once, ...item, ...values }).filter(([name]) => !removed.includes(name)));

/** Writes all updates or none. Returns false if one of the records has changed since it was read. */
const isWritten = async (client: DynamoDBClient, updates: readonly UpdateInput[]) => {
  const command = new TransactWriteItemsCommand({
    ClientRequestToken: randomUUID(),
    TransactItems: updates.map((Update) => ({ Update })),
  });
  try {
    await withDeadline(() => client.send(command));
    return true;
  } catch (error) {
    const cause = error instanceof ApiError ? error.cause : error;
    if (!(cause instanceof TransactionCanceledException) || !isOvertaken(cause, updates.length)) throw error;
    return false;
  }
};

/**
 * Checks whether a transaction was cancelled only because other changes of its records came first. A conflict does not show whether
 * a record has changed, so an earlier attempt whose response was lost may still be applied after it.
 */
const isOvertaken = (error: TransactionCanceledException, count: number): boolean => {
  const { CancellationReasons: reasons = [] } = error;
  if (reasons.length !== count) throw invalidResponse("The reasons of a cancelled transaction are not complete.");
  const codes = reasons.map(({ Code = "None" }) => Code).filter((code) => code !== "None");
  if (!codes.every((code) => code === refused || code === "TransactionConflict")) return false;
  return codes.includes(refused) || (codes.length > 0 && !followsLostAttempt(error));
};

const refused = "ConditionalCheckFailed";
