import { accessedAttributes } from "cdk-local-runner/parts";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { type StoreName, storeNames, tables } from "../../../lambdas/domain/built-in-stores.ts";
import { keyTypeOf } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { recordReader, toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import { type AnyTable, fieldsOf, keyNamesOf } from "../../../lambdas/dynamodb/table.ts";
import { absentId, inMs } from "../../kit/support/tokens.ts";
import { noteRequests } from "../support/client-requests.ts";
import { openTestStore, useDatabase } from "../support/stores.ts";

/* test/service/rights.test.ts tests that each function has all rights that it needs, and no other actions. */

const database = useDatabase();
const { store: keys, client } = await openTestStore(tables.keys, database);
const { store: tokens } = await openTestStore(tables.tokens, database);

/** Calls each operation whose right is limited to some attributes. */
const calls: Readonly<Record<string, () => Promise<unknown>>> = {
  "keys.changed": () => keys.changed({ shard: "0", limit: 1 }),
  "keys.changes": () => keys.changes({}),
  "keys.forget": () => keys.forget("1", inMs(0)),
  "tokens.recordUse": () => tokens.recordUse(absentId(), inMs(0)),
};

const declarations = storeNames.map((name): [StoreName, AnyTable] => [name, tables[name]]);
const limited = declarations.flatMap(([store, { rights }]) =>
  Object.entries(rights).flatMap(([operation, all]) =>
    all.flatMap((right) =>
      typeof right === "object" && "attributes" in right ? [{ name: `${store}.${operation}`, ...right }] : [],
    ),
  ),
);

test.for(limited)("$name may use exactly the attributes that it uses", async ({ name, action, attributes }) => {
  const requests = noteRequests(client);
  await calls[name]?.();
  const used = requests.flatMap(({ input }) => [...accessedAttributes(action, input)]);
  expect(new Set(used)).toEqual(new Set(attributes));
});

test.for(declarations)(
  "the fields of %s have the types that their names suggest, and the example is valid",
  ([, table]) => {
    const { timeOfChange, timeToLive, schema, example } = table;
    const fields = fieldsOf(table);
    const isTime = (name: string) =>
      fields[name] && z.globalRegistry.get(unwrapped(fields[name]))?.format === "date-time";
    expect([undefined, "delete_at"]).toContain(timeToLive);
    for (const name of Object.keys(fields)) expect(isTime(name), name).toBe(/_(at|since)$/.test(name));
    for (const key of keyNamesOf(table)) expect(fields[key] && keyTypeOf(fields[key]), key).toBe("S");
    if (timeOfChange !== undefined) expect(isTime(timeOfChange)).toBe(true);
    expect(recordReader(schema, { strictly: true })(toItem(example as Values))).toEqual(example);
  },
);

const unwrapped = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.core.$ZodOptional ? schema._zod.def.innerType : schema;
