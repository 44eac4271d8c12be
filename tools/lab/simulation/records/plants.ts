import { TransactWriteItemsCommand, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import type { Plan } from "../../../../lambdas/dynamodb/record-plans.ts";
import type { Update } from "../../../../lambdas/dynamodb/table.ts";
import { inChangeRecord, inDeadline, inModule, inReplica, type Plant, plant } from "../plants.ts";

const inPlans = inModule<typeof import("../../../../lambdas/dynamodb/record-plans.ts")>("dynamodb/record-plans");
const inRecordStore = inModule<typeof import("../../../../lambdas/dynamodb/record-store.ts")>("dynamodb/record-store");
const inPages = inModule<typeof import("../../../../lambdas/dynamodb/record-pages.ts")>("dynamodb/record-pages");
const inReadPage = inModule<typeof import("../../../../lambdas/dynamodb/read-page.ts")>("dynamodb/read-page");
const inBounds = inModule<typeof import("../../../../lambdas/dynamodb/sort-bounds.ts")>("dynamodb/sort-bounds");
const inTransaction = inModule<typeof import("../../../../lambdas/dynamodb/transaction.ts")>("dynamodb/transaction");
const inChanges = inModule<typeof import("../../../../lambdas/dynamodb/changes.ts")>("dynamodb/changes");
const inLostAttempts = inModule<typeof import("../../../../lambdas/dynamodb/client/lost-attempts.ts")>(
  "dynamodb/client/lost-attempts",
);
const inMergePatch = inModule<typeof import("../../../../lambdas/shared/validation/merge-patch.ts")>(
  "shared/validation/merge-patch",
);
const inAttributes =
  inModule<typeof import("../../../../lambdas/dynamodb/nested-attributes.ts")>("dynamodb/nested-attributes");

/** A condition that holds for every item. */
const always = "attribute_not_exists(nothing)";

type Operation = "create" | "put" | "update" | "delete";
type Plans = ReturnType<typeof import("../../../../lambdas/dynamodb/record-plans.ts").recordPlans>;
type Requirements = NonNullable<Parameters<Plans["put"]>[1]>;

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

/** Ignores one of the requirements that callers pass to an operation. */
const withoutRequirement = (operation: "put" | "update" | "delete", name: keyof Requirements) =>
  inPlans({
    recordPlans: (real) => (table) => {
      const plans = real(table);
      const without = (requirements?: Requirements) => ({ ...requirements, [name]: undefined });
      return {
        ...plans,
        ...(operation === "put" && { put: (record, more) => plans.put(record, without(more)) }),
        ...(operation === "update" && { update: (id, patch, more) => plans.update(id, patch, without(more)) }),
        ...(operation === "delete" && { delete: (id, more) => plans.delete(id, without(more)) }),
      };
    },
  });

type PartitionPage = Parameters<typeof import("../../../../lambdas/dynamodb/record-pages.ts").partitionPage>;
type PageOptions = readonly [partition: PartitionPage[2], request: PartitionPage[3]];

/** Alters the options of pages of a partition. */
const inPartitionPages = (alter: (...options: PageOptions) => PageOptions) =>
  inPages({
    partitionPage:
      (real) =>
      (table, declaration, ...options) =>
        real(table, declaration, ...alter(...options)),
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
  "a late creation brings a deleted record back": plant(66, ...withoutGuard("create")),
  "a late put undoes a later one": plant(2, ...withoutGuard("put")),
  "an update is made of a record that has changed since it was read": plant(9, ...withoutGuard("update")),
  "a late deletion deletes a record that was created again": plant(1, ...withoutGuard("delete")),
  "a change of a record waits for no clock": plant(1, inDeadline({ operationMilliseconds: () => -20_000 })),
  "equal changes in the same millisecond are mistaken for each other": plant(
    1722,
    inOperations(["put", "update"], withoutId),
  ),
  "a lost attempt is forgotten once a later one is refused": plant(
    12,
    inLostAttempts({ followsLostAttempt: () => () => false }),
  ),
  "a conflict after a lost attempt is taken for another change": plant(
    4069,
    inLostAttempts({
      followsLostAttempt: (real) => (error) => error.name !== "TransactionCanceledException" && real(error),
    }),
  ),

  // Operations.
  "a creation overwrites a record": plant(
    1,
    inOperations(["create"], () => ({ condition: always, appliesTo: () => true })),
  ),
  "a creation compares only a part of the record": plant(
    4,
    inAttributes({
      nestedCodec: (real) => ({
        ...real,
        isSame: (one, other) => (one?.M?.place ? real.isSame(one.M.place, other?.M?.place) : real.isSame(one, other)),
      }),
    }),
  ),
  "a record that is created again keeps the end of its tombstone": plant(
    11,
    inOperations(["create"], () => ({ remove: ["deletion_id"] })),
  ),
  "a put keeps fields that the new record does not have": plant(
    21,
    inOperations(["put"], () => ({ remove: ["deletion_id", "delete_at"] })),
  ),
  "a put forgets when the record was created": plant(
    1,
    inOperations(["put"], ({ set }) => ({ set: (time) => ({ ...set(time), created_at: time }), setOnce: () => ({}) })),
  ),
  "a put does not read the version": plant(18, withoutRequirement("put", "ifMatch")),
  "an update does not read the version": plant(9, withoutRequirement("update", "ifMatch")),
  "a deletion does not read the version": plant(77, withoutRequirement("delete", "ifMatch")),
  "a deletion does not read its condition": plant(14, withoutRequirement("delete", "if")),
  "a condition is not read again after another change": plant(
    9,
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
  "an update that changes nothing keeps the version": plant(
    4,
    inPlans({
      recordPlans: (real) => (table) => {
        const plans = real(table);
        const update: typeof plans.update = (id, patch, requirements) => {
          const plan = plans.update(id, patch, requirements);
          const isChanged = (record: object | undefined) =>
            Object.keys(plan.change.set("", record as never)).some(
              (name) => !["change_id", "change_shard"].includes(name),
            );
          const { appliesTo } = plan.change;
          return {
            ...plan,
            change: { ...plan.change, appliesTo: (record, now) => appliesTo(record, now) && isChanged(record) },
            refused: (record) =>
              record && appliesTo(record, "") && !isChanged(record) ? plan.made(record) : plan.refused(record),
          };
        };
        return { ...plans, update };
      },
    }),
  ),
  "a merge replaces nested values": plant(
    19,
    inMergePatch({
      mergePatch:
        (real) =>
        (stored, patch, ...more) => ({ ...real(stored, patch, ...more), ...("size" in patch && { size: patch.size }) }),
    }),
  ),
  "a deletion leaves a tombstone for a moment only": plant(
    66,
    inOperations(["delete"], ({ set }) => ({ set: (time) => ({ ...set(time), delete_at: 1 }) })),
  ),
  "a failed deletion of a record is reported as done": plant(
    4,
    inRecordStore({
      recordStore:
        (real) =>
        (...args) => {
          const store = real(...args) as { delete(...call: unknown[]): Promise<object> };
          return {
            ...store,
            delete: (...call: unknown[]) => store.delete(...call).catch(() => ({ outcome: "deleted" })),
          };
        },
    }),
  ),
  "a record is read from a replica": plant(1, inReplica),

  // Pages.
  "a page continues after a record that it does not show": plant(
    1,
    inReadPage({
      readPage: (real) => async (reader, request) => {
        let last: string | undefined;
        const readStep: typeof reader.readStep = async (step) => {
          const output = await reader.readStep(step);
          const item = output.Items?.at(-1);
          last = item && reader.positions.of(item);
          return output;
        };
        const page = await real({ ...reader, readStep }, request);
        return page.next === undefined ? page : { ...page, next: last };
      },
    }),
  ),
  "a page continues after all records with the same sort value": plant(
    5,
    inBounds({
      boundsOf: (real) => (options) => {
        const { after, positions, sort, order } = options;
        const position = after === undefined ? undefined : positions.keyOf(after)?.[sort];
        const bounds = real(options);
        if (!position || !bounds || bounds.conditions.length > 0) return bounds;
        const condition = `#${sort} ${order === "ascending" ? ">" : "<"} :after`;
        return { conditions: [condition], values: { ":after": position }, after: undefined };
      },
    }),
  ),
  "the order of a page is not read": plant(
    3,
    inPartitionPages((partition, { order: _, ...request }) => [partition, request]),
  ),
  "the end of a page's range is not read": plant(
    36,
    inPartitionPages((partition, { to: _, ...request }) => [partition, request]),
  ),
  "an index does not read the second field of its partition": plant(
    1,
    inPartitionPages(({ values: { state, ...values }, ...partition }, request) => [
      { ...partition, values, ...(state !== undefined && { index: "byPlace" }) },
      request,
    ]),
  ),

  // Transactions.
  "a transaction writes one record after the other": plant(
    32,
    inTransactions(async ({ input: { TransactItems = [] } }, client) => {
      for (const { Update } of TransactItems) if (Update) await client.send(new UpdateItemCommand(Update as never));
    }),
  ),
  "a transaction has no token": plant(
    32,
    inTransactions(({ input }, client) =>
      client.send(new TransactWriteItemsCommand({ ...input, ClientRequestToken: undefined })),
    ),
  ),
  "a transaction stops late attempts on one table only": plant(
    163,
    inChanges({
      attemptAt: (real) => (change, state, table) =>
        real(change, state.known?.number ? { ...state, guard: { condition: always, values: {} } } : state, table),
    }),
  ),
};
