import { TransactWriteItemsCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { Plan } from "../../../../lambdas/dynamodb/record-plans.ts";
import type { Update } from "../../../../lambdas/dynamodb/table.ts";
import { inChangeHistory, inChangeRecord, inModule, type Plant, plant } from "../plants.ts";

const inPlans = inModule<typeof import("../../../../lambdas/dynamodb/record-plans.ts")>("dynamodb/record-plans");
const inTransaction = inModule<typeof import("../../../../lambdas/dynamodb/transaction.ts")>("dynamodb/transaction");
const inChanges = inModule<typeof import("../../../../lambdas/dynamodb/changes.ts")>("dynamodb/changes");
const inLostAttempts = inModule<typeof import("../../../../lambdas/dynamodb/client/lost-attempts.ts")>(
  "dynamodb/client/lost-attempts",
);
const inCursors =
  inModule<typeof import("../../../../lambdas/dynamodb/change-feed-cursor.ts")>("dynamodb/change-feed-cursor");

/** A condition that holds for every item. */
const always = "attribute_not_exists(nothing)";

type Operation = "create" | "put" | "update" | "delete";

/** Marks changes that are made without a guard against late attempts. */
interface Tag {
  isUnguarded: true;
}

/** Alters the changes that some operations plan, alone or in a transaction. */
const inOperations = (
  operations: readonly Operation[],
  alter: (change: Plan["change"]) => Partial<Plan["change"] & Tag>,
) =>
  inPlans({
    recordPlans: (real) => (table) => {
      const plans = real(table);
      const altered = operations.map((operation) => {
        const make: (...args: never[]) => Plan = plans[operation];
        return [
          operation,
          (...args: never[]) => {
            const plan = make(...args);
            return { ...plan, change: { ...plan.change, ...alter(plan.change) } };
          },
        ] as const;
      });
      return { ...plans, ...Object.fromEntries(altered) };
    },
  });

/** Makes changes without the part of their condition that stops late attempts. */
const withoutGuard = (operation: Operation) => [
  inOperations([operation], () => ({ isUnguarded: true })),
  inChangeRecord({
    changeRecord: (real) => (changer, change) => {
      const { condition = always } = change;
      const update = (one: Update) => changer.update({ ...one, condition: `${one.condition} OR ${condition}` });
      return real("isUnguarded" in change ? { ...changer, update } : changer, change);
    },
  }),
];

/** Gives all changes the same id. */
const withoutId = ({ set }: Plan["change"]): Partial<Plan["change"]> => ({
  set: (time, record) => ({ ...set(time, record), change_id: "same" }),
});

/** Sends the requests of transactions in another way. */
const inTransactions = (
  send: (command: TransactWriteItemsCommand, client: { send(command: object): Promise<unknown> }) => Promise<unknown>,
) =>
  inTransaction({
    transactionOn: (real) => (client, tables) =>
      real(
        Object.create(client, {
          send: {
            value: (command: object) =>
              command instanceof TransactWriteItemsCommand ? send(command, client) : client.send(command as never),
          },
        }),
        tables,
      ),
  });

/** The bugs in the stores of records, by what they break. */
export const plants: Readonly<Record<string, Plant & { foundBy: number }>> = {
  // Late attempts that undo acknowledged changes.
  "a late creation brings a deleted record back": plant(13, ...withoutGuard("create")),
  "a late put undoes a later one": plant(2, ...withoutGuard("put")),
  "an update is made of a record that has changed since it was read": plant(14, ...withoutGuard("update")),
  "a late deletion deletes a record that was created again": plant(18, ...withoutGuard("delete")),
  "equal changes in the same millisecond are mistaken for each other": plant(
    53,
    inOperations(["put", "update"], withoutId),
  ),
  "a lost attempt is forgotten once a later one is refused": plant(
    6,
    inLostAttempts({ followsLostAttempt: () => () => false }),
  ),
  "a conflict after a lost attempt is taken for another change": plant(
    1241,
    inLostAttempts({
      followsLostAttempt: (real) => (error) => error.name !== "TransactionCanceledException" && real(error),
    }),
  ),

  // Operations.
  "a creation overwrites a record": plant(
    3,
    inOperations(["create"], () => ({ condition: always, appliesTo: () => true })),
  ),
  "a record that is created again keeps the end of its tombstone": plant(
    13,
    inOperations(["create"], () => ({ remove: ["deletion_id"] })),
  ),
  "a condition is not read again after another change": plant(
    47,
    inOperations(["update"], ({ appliesTo }) => {
      let first: boolean | undefined;
      return {
        appliesTo: (record, now) => {
          first ??= appliesTo(record, now);
          return first && record !== undefined;
        },
      };
    }),
  ),

  // Transactions.
  "a transaction writes one record after the other": plant(
    47,
    inTransactions(async ({ input: { TransactItems = [] } }, client) => {
      for (const { Update } of TransactItems) if (Update) await client.send(new UpdateItemCommand(Update as never));
    }),
  ),
  "a transaction has no token": plant(
    220,
    inTransactions(({ input }, client) =>
      client.send(new TransactWriteItemsCommand({ ...input, ClientRequestToken: undefined })),
    ),
  ),
  "a transaction stops late attempts on one table only": plant(
    254,
    inChanges({
      attemptAt: (real) => (change, state, table) =>
        real(change, state.known?.number ? { ...state, guard: { condition: always, values: {} } } : state, table),
    }),
  ),

  // Changes.
  "changes are shown although clocks differ and an operation takes time": plant(
    264,
    inCursors({ holdbackMilliseconds: (real) => real - 9_000, canContinue: () => () => true }),
  ),
  "the end of a pass moves": plant(
    3,
    inCursors({
      parseFeedCursor: (real) => (text) => {
        const cursor = real(text);
        return cursor?.until === undefined ? cursor : { ...cursor, until: Date.now() - 30_000 };
      },
    }),
  ),
  "the next pass begins later than the previous one ended": plant(
    18,
    inCursors({
      feedCursor: (real) => (cursor) =>
        real(cursor.until === undefined ? { ...cursor, since: cursor.since + 15_000 } : cursor),
      canContinue: () => () => true,
    }),
  ),
  "changes skip a part of the index": plant(3, inChangeHistory({ liveShards: (real) => real.slice(0, 4) })),
  "a deletion leaves the index of changes": plant(
    48,
    inOperations(["delete"], ({ set, remove }) => ({
      set: (time) => ({ ...set(time), change_shard: undefined }),
      remove: [...(Array.isArray(remove) ? remove : []), "change_shard"],
    })),
  ),
};
