import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Action, apply, type Condition, canonical, holds, type Item } from "../../../src/dynamodb-model.ts";
import { sharedDatabase } from "../../support/database.ts";
import { conditions, items, updates } from "../../support/dynamodb-arbitraries.ts";
import { expressionWriter } from "../../support/dynamodb-expressions.ts";

const database = sharedDatabase();

const TableName = "Items";
const Key = { id: { S: "1" } };
const returnValues = fc.constantFrom("NONE", "ALL_OLD", "ALL_NEW", "UPDATED_OLD", "UPDATED_NEW");
type ReturnValues = typeof returnValues extends fc.Arbitrary<infer Value> ? Value : never;

/** What is there, or nothing. */
const stored = fc.option(items, { nil: undefined });

const store = async (item: Item | undefined): Promise<void> => {
  const { client } = database();
  if (item === undefined) await client.send(new DeleteItemCommand({ TableName, Key }));
  else await client.send(new PutItemCommand({ TableName, Item: { ...Key, ...item } }));
};

const storedItem = async (): Promise<Item | undefined> => {
  const { Item } = await database().client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }));
  return withSetsInOrder(Item);
};

const withSetsInOrder = (item: Item | undefined): Item | undefined =>
  item && Object.fromEntries(Object.entries(item).map(([name, value]) => [name, canonical(value)]));

/** The attributes that an answer has, or the name of the refusal. */
const outcomeOf = async (answer: Promise<{ Attributes?: Item | undefined }>): Promise<Item | string | undefined> => {
  try {
    return withSetsInOrder((await answer).Attributes);
  } catch (error) {
    if (error instanceof DynamoDBServiceException) return error.name;
    throw error;
  }
};

const returned = (
  kind: ReturnValues,
  { before, after, actions }: { before: Item | undefined; after: Item; actions: Record<string, Action> },
): Item | undefined => {
  const updated = (item: Item | undefined) => {
    const entries = Object.entries(item ?? {}).filter(([name]) => name in actions);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  };
  const all = { NONE: undefined, ALL_OLD: before, ALL_NEW: after };
  if (kind === "UPDATED_OLD") return withSetsInOrder(updated(before));
  return withSetsInOrder(kind === "UPDATED_NEW" ? updated(after) : all[kind]);
};

const expectedOutcome = (
  before: Item | undefined,
  { condition, actions, returns }: { condition: Condition; actions: Record<string, Action>; returns: ReturnValues },
): { outcome: Item | string | undefined; after: Item | undefined } => {
  if (!holds(condition, before ?? {})) return { outcome: "ConditionalCheckFailedException", after: before };
  const after = apply(actions, before ?? Key);
  if (after === undefined) return { outcome: "ValidationException", after: before };
  return { outcome: returned(returns, { before, after, actions }), after };
};

test("a conditional update answers and stores what DynamoDB documents, whatever it returns", async () => {
  await fc.assert(
    fc.asyncProperty(stored, conditions, updates, returnValues, async (item, condition, actions, returns) => {
      await store(item);
      const writer = expressionWriter();
      const command = new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: writer.update(actions),
        ConditionExpression: writer.condition(condition),
        ReturnValues: returns,
        ...writer.placeholders(),
      });
      const outcome = await outcomeOf(database().client.send(command));

      const expected = expectedOutcome(item && { ...Key, ...item }, { condition, actions, returns });
      expect(outcome).toEqual(expected.outcome);
      expect(await storedItem()).toEqual(withSetsInOrder(expected.after));
    }),
    { numRuns: 150 },
  );
});

test.for(["PutItem", "DeleteItem"])(
  "a conditional %s answers and stores what DynamoDB documents",
  async (operation) => {
    await fc.assert(
      fc.asyncProperty(stored, items, conditions, fc.boolean(), async (item, next, condition, returnsOld) => {
        await store(item);
        const writer = expressionWriter();
        const conditional = {
          TableName,
          ConditionExpression: writer.condition(condition),
          ReturnValues: returnsOld ? ("ALL_OLD" as const) : ("NONE" as const),
          ...writer.placeholders(),
        };
        const { client } = database();
        const outcome = await outcomeOf(
          operation === "PutItem"
            ? client.send(new PutItemCommand({ ...conditional, Item: { ...Key, ...next } }))
            : client.send(new DeleteItemCommand({ ...conditional, Key })),
        );

        const before = item && { ...Key, ...item };
        const applies = holds(condition, before ?? {});
        const old = returnsOld ? withSetsInOrder(before) : undefined;
        const after = operation === "PutItem" ? { ...Key, ...next } : undefined;
        expect(outcome).toEqual(applies ? old : "ConditionalCheckFailedException");
        expect(await storedItem()).toEqual(withSetsInOrder(applies ? after : before));
      }),
      { numRuns: 150 },
    );
  },
);

test("a filter selects the items for which DynamoDB says that the condition holds", async () => {
  await fc.assert(
    fc.asyncProperty(items, conditions, async (item, condition) => {
      await store(item);
      const writer = expressionWriter();
      const command = new ScanCommand({
        TableName,
        FilterExpression: writer.condition(condition),
        ...writer.placeholders(),
      });
      const { Items = [], Count, ScannedCount } = await database().client.send(command);

      const expected: Record<string, AttributeValue>[] = holds(condition, item) ? [{ ...Key, ...item }] : [];
      expect(Items.map(withSetsInOrder)).toEqual(expected.map(withSetsInOrder));
      expect([Count, ScannedCount]).toEqual([expected.length, 1]);
    }),
    { numRuns: 60 },
  );
});
