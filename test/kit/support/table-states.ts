import * as z from "zod/mini";
import { exampleRecord } from "../../../lambdas/declaration/example-record.ts";
import { tokens } from "../../../lambdas/domain/tables.ts";
import { isTrust } from "../../../lambdas/domain/tokens/life-cycle.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { exampleTrust } from "../../../lambdas/domain/tokens/tokens-table.ts";
import { trustedUntil, trustShard } from "../../../lambdas/domain/tokens/trust.ts";
import { nestedCodec } from "../../../lambdas/dynamodb/nested-attributes.ts";
import { type AnyTable, fieldsOf, fixedFieldsOf, keyNamesOf } from "../../../lambdas/dynamodb/table.ts";
import type { Tables } from "../../../lambdas/dynamodb/uses.ts";
import { accepts, alteredMember, alteredObject, alteredValue, withMembers } from "./altered-value.ts";
import type { TableAccess } from "./table-access.ts";
import { requestField } from "./tokens.ts";

/** Records by the store whose table contains them. */
export type Records = Record<string, object[]>;

/** A table whose schema says everything about its records. */
export const isRecordTable = ({ codec }: AnyTable): boolean => codec === nestedCodec;

/**
 * Returns the example record with other values under the same key. In the tables of tokens, keys and admins, only texts differ,
 * because their other fields decide about access. A record keeps the names of these clients, to whom it belongs.
 */
const alter = (table: AnyTable, clients: readonly unknown[]): object => {
  const record = exampleRecord(table);
  if (isRecordTable(table)) {
    const owners = Object.entries(record).flatMap(([name, value]) => (clients.includes(value) ? [name] : []));
    const keep = [...keyNamesOf(table), ...owners, "created_at", "updated_at"];
    return alteredObject(table.schema, record, { keep });
  }
  const fields = fieldsOf(table);
  const altered = Object.entries(record).map(([name, value]) => {
    const schema = keyNamesOf(table).includes(name) || typeof value !== "string" ? undefined : fields[name];
    const isTime = schema !== undefined && z.globalRegistry.get(schema)?.format === "date-time";
    return [name, schema && !isTime ? alteredValue(schema, value) : value];
  });
  return Object.fromEntries(altered);
};

/** Returns the fields of a table that have one of several values, without its key. */
const enumsIn = (table: AnyTable): [name: string, values: unknown[]][] =>
  Object.entries(fieldsOf(table)).flatMap(([name, schema]) => {
    const { enum: values, anyOf = [] } = z.toJSONSchema(schema, { unrepresentable: "any" });
    const members = values ?? anyOf.flatMap((option) => option.enum ?? []);
    return members.length > 1 && !keyNamesOf(table).includes(name) ? [[name, members]] : [];
  });

/** Returns the example record with other members of its enums, and if need be also with another value in one other field. */
const moveEnums = (table: AnyTable, steps: number): object => {
  const record = exampleRecord(table);
  const values = new Map<string, unknown>(Object.entries(record));
  const moved = enumsIn(table).map(([name, members]) => {
    return [name, members[(members.indexOf(values.get(name)) + steps) % members.length]] as const;
  });
  const kept = [...keyNamesOf(table), ...moved.map(([name]) => name)];
  const others = Object.entries(fieldsOf(table)).filter(([name]) => !kept.includes(name));
  const whole = withMembers(record, moved);
  return (
    [
      whole,
      ...others.map(([name, schema]) => withMembers(whole, [[name, alteredMember(schema, values.get(name))]])),
    ].find((one) => accepts(table.schema, one)) ?? record
  );
};

/**
 * Returns further records with other keys in the same partition and the same indexes: one that pages contain too, and one that has
 * been deleted.
 */
const neighboursOf = (table: AnyTable): object[] => {
  const { sortKey, partitionKey, indexes, deletionMark, timeOfChange } = table;
  if (!isRecordTable(table) || (sortKey === undefined && indexes === undefined)) return [];
  const record = new Map<string, unknown>(Object.entries(exampleRecord(table)));
  const name = sortKey ?? partitionKey;
  const schema = fieldsOf(table)[name];
  if (!schema) return [];
  const next = alteredValue(schema, record.get(name));
  const last = alteredValue(schema, next);
  const neighbour = withMembers(Object.fromEntries(record), [[name, next]]);
  if (!deletionMark || !timeOfChange || last === record.get(name)) return [neighbour];
  const kept = [...keyNamesOf(table), ...fixedFieldsOf(table)];
  const deleted = kept.map((key) => [key, key === name ? last : record.get(key)]);
  return [neighbour, { ...Object.fromEntries(deleted), [timeOfChange]: record.get(timeOfChange), [deletionMark]: "1" }];
};

const exampleRecords = (table: AnyTable): object[] =>
  table === tokens ? [{ ...tokens.example, request: requestField() }, exampleTrust] : [exampleRecord(table)];

const states = {
  empty: () => [],
  filled: (table) => [...exampleRecords(table), ...neighboursOf(table)],
  altered: (table, clients) => [alter(table, clients)],
} satisfies Record<string, (table: AnyTable, clients: readonly unknown[]) => object[]>;

/**
 * The contents of the tables when an example is called: nothing, the example record of each table (with a client that has just asked
 * to move its token), or the example records with different contents under the same keys. Tables with enums also have a state for
 * each other value of the enum, because many endpoints succeed only with a certain value.
 */
export type StateName = keyof typeof states | `filled, enums + ${number}`;

/** Returns the names of all states of the tables. */
export const statesOf = (tables: Tables): StateName[] => {
  const sizes = Object.values(tables).filter(isRecordTable).flatMap(enumsIn);
  const most = Math.max(1, ...sizes.map(([, values]) => values.length));
  const moved = Array.from({ length: most - 1 }, (_, index) => `filled, enums + ${index + 1}` as const);
  return [...(Object.keys(states) as (keyof typeof states)[]), ...moved];
};

const recordsOf = (state: StateName, table: AnyTable, clients: readonly unknown[]): object[] => {
  if (state in states) return states[state as keyof typeof states](table, clients);
  const steps = Number(state.split("+")[1]);
  return isRecordTable(table) ? [moveEnums(table, steps), ...neighboursOf(table)] : states.filled(table);
};

/**
 * Returns the records in a state of the tables, and those of callers. They are created when needed, because a request is valid for
 * only a few minutes.
 */
export const recordsIn = (state: StateName, tables: Tables, ...callers: TokenRecord[]): Records => {
  const clients = callers.flatMap(({ client }) => client ?? []);
  const records = Object.entries(tables).map(([store, table]) => [store, recordsOf(state, table, clients)] as const);
  const all: Records = Object.fromEntries(records);
  const own = callers.map(({ token_id }) => token_id);
  const others = (all.tokens as TokenRecord[]).filter(({ token_id }) => !own.includes(token_id));
  return { ...all, tokens: [...others, ...callers].map(withShard) };
};

/** Returns the record of a token unchanged. Adds the attributes by which the service finds a trust to the record of a trust. */
export const withShard = (record: TokenRecord): object =>
  isTrust(record) ? { ...record, ...trustedUntil(record.expires_at), change_shard: trustShard } : record;

/** What to do if the example of an endpoint succeeds in no state of the tables. */
export const adviceForSuccess =
  "Give the fields of its tables examples with which it succeeds, for instance a boolean that must be false: z.boolean().check(fields.example(false)).";

/**
 * Finds the state of the tables in which a call succeeds. Prefers a state that the call changes, and otherwise returns the filled
 * state. `prepare` fills the tables, and `call` returns whether it succeeded.
 */
export const findSuccessState = async (
  access: TableAccess,
  { prepare, call }: { prepare: (state: StateName) => Promise<unknown>; call: () => Promise<boolean> },
): Promise<StateName | undefined> => {
  const successes: { state: StateName; isChange: boolean }[] = [];
  for (const state of statesOf(access.tables)) {
    await prepare(state);
    const before = await contentsOf(access);
    if (await call()) successes.push({ state, isChange: (await contentsOf(access)) !== before });
  }
  const best = successes.find(({ isChange }) => isChange) ?? successes.find(({ state }) => state === "filled");
  return (best ?? successes[0])?.state;
};

const contentsOf = async (access: TableAccess): Promise<string> => JSON.stringify((await access.contents()).items);
