import * as z from "zod/mini";
import { flatCodec } from "../dynamodb/attributes.ts";
import { changeShard } from "../dynamodb/change-history.ts";
import { mostKeyBytes, mostSortKeyBytes } from "../dynamodb/checked-key.ts";
import { type AnyTable, changeIndexName, fieldsOf, fixedFieldsOf } from "../dynamodb/table.ts";

/** A character takes up to four. */
const bytesPerCharacter = 4;
/** DynamoDB's limit for an expression, less what an update sets besides the fields. */
const fieldExpressionBytes = 4096 - 500;
const maxPartitionFields = 4;
const maxIndexes = 20;

/** Attributes that the stores of an application's tables write. */
const reserved = ["deletion_id", "delete_at", "change_shard", "history", "history_dropped"];

/** Returns the mistakes in the declaration of an application's table, as sentences. */
export const checkTable = (store: string, table: AnyTable): string[] => {
  const fields = fieldsOf(table);
  const unstorable = Object.entries(fields).flatMap(([name, schema]) => storageProblem(store, name, schema, table));
  if (unstorable.length > 0) return unstorable;
  const { partitionKey, sortKey } = table;
  // The shard of the index of changes is not a field.
  const indexes = Object.fromEntries(
    Object.entries(table.indexes ?? {}).filter(([, { partition }]) => !partition.includes(changeShard)),
  );
  const check = (names: readonly string[], bytes: number, title: string) =>
    checkKey({ names, bytes, title, store, table });
  return [
    ...Object.keys(fields)
      .filter((name) => reserved.includes(name))
      .map(
        (name) =>
          `The field ${name} of the table ${store} needs another name, because the store writes an attribute with this name.`,
      ),
    ...(expressionBytesOf(Object.keys(fields)) > fieldExpressionBytes
      ? [
          `The table ${store} has too many fields, or their names are too long, for an expression of DynamoDB: put some of them into an object.`,
        ]
      : []),
    ...check([partitionKey], mostKeyBytes, "the partition key"),
    ...(fields[partitionKey] && keyFacts(fields[partitionKey], table).type === "N"
      ? [`The partition key ${partitionKey} of the table ${store} must be text.`]
      : []),
    ...(sortKey === undefined ? [] : check([sortKey], mostSortKeyBytes, "the sort key")),
    ...(Object.keys(table.indexes ?? {}).length > maxIndexes
      ? [
          `The table ${store} has ${Object.keys(table.indexes ?? {}).length} indexes${table.changes ? ", with that of its `changes`" : ""}, and DynamoDB allows ${maxIndexes}.`,
        ]
      : []),
    ...fixedFieldsOf(table)
      .filter((name) => fields[name] && z.safeParse(fields[name], undefined).success)
      .map(
        (name) =>
          `The field ${name} of the table ${store} must be required, because it divides the \`changes\`: nobody would get those of a record without it.`,
      ),
    ...Object.entries(indexes).flatMap(([name, { partition, sort }]) => [
      ...(name === changeIndexName || /^[a-z][A-Za-z0-9]{2,99}$/.test(name)
        ? []
        : [
            `The index ${name} of the table ${store} needs another name: 3 to 100 letters and digits, beginning with a lower-case letter.`,
          ]),
      ...(partition.length < 1 || partition.length > maxPartitionFields
        ? [`${capital(titleOf(name))} of the table ${store} needs 1 to ${maxPartitionFields} fields in its partition.`]
        : []),
      ...(new Set([...partition, sort]).size <= partition.length
        ? [`${capital(titleOf(name))} of the table ${store} names a field twice.`]
        : []),
      ...check(partition, mostKeyBytes, titleOf(name)),
      ...check([sort], mostSortKeyBytes, titleOf(name)),
    ]),
  ];
};

const expressionBytesOf = (names: readonly string[]): number =>
  Buffer.byteLength(names.map((name) => `#${name} = :${name}, `).join(""));

const titleOf = (index: string): string => (index === changeIndexName ? "`changes`" : `the index ${index}`);

const capital = (title: string): string => title.charAt(0).toUpperCase() + title.slice(1);

const storageProblem = (store: string, name: string, schema: z.core.$ZodType, { codec = flatCodec }: AnyTable) => {
  try {
    codec.of(schema);
    return [];
  } catch (error) {
    return [
      `The field ${name} of the table ${store} cannot be stored. ${error instanceof Error ? error.message : error}`,
    ];
  }
};

interface Key {
  names: readonly string[];
  /** Maximum bytes of all fields together. */
  bytes: number;
  title: string;
  store: string;
  table: AnyTable;
}

const checkKey = ({ names, bytes, title, store, table }: Key): string[] => {
  const fields = fieldsOf(table);
  const facts = names.map((name) => ({
    name,
    ...(fields[name] ? keyFacts(fields[name], table) : { isMissing: true }),
  }));
  const problems = facts.flatMap(({ name, ...fact }) => {
    const field = `The field ${name} of the table ${store}`;
    if ("isMissing" in fact) return [`The table ${store} has no field ${name} for ${title}.`];
    if (fact.type === undefined)
      return [
        `${field} cannot be part of ${title}: use text or a number that is not nullable, and an enum instead of a boolean.`,
      ];
    return fact.mayBeEmpty ? [`${field} needs a minimum length of 1, because it is part of ${title}.`] : [];
  });
  const most = Math.floor(bytes / bytesPerCharacter);
  const length = facts.reduce((sum, fact) => sum + ("isMissing" in fact ? 0 : fact.length), 0);
  if (problems.length > 0 || length <= most) return problems;
  return [
    `${names.join(" and ")} of the table ${store} may have at most ${most} characters${names.length > 1 ? " together" : ""}, because DynamoDB limits ${title} to ${bytes} bytes. Declare a maximum length.`,
  ];
};

/** The lengths of strings whose format determines them. */
const formatLengths: Readonly<Record<string, number>> = { uuid: 36, ulid: 26, date: 10, "date-time": 24 };

interface KeyFacts {
  type: "S" | "N" | undefined;
  /** Whether the text may be empty, which a key must not be. */
  mayBeEmpty: boolean;
  /** The maximum length of a string in characters. */
  length: number;
}

const keyFacts = (schema: z.core.$ZodType, { codec = flatCodec }: AnyTable): KeyFacts => {
  const type = codec.of(schema).keyType;
  if (type !== "S") return { type, mayBeEmpty: false, length: 0 };
  const json = z.toJSONSchema(schema, { unrepresentable: "any" });
  const values = json.enum ?? (json.const === undefined ? [] : [json.const]);
  const length = Math.max(...values.map((value) => String(value).length));
  return {
    type,
    mayBeEmpty: z.safeParse(schema, "").success,
    length:
      values.length > 0 ? length : (json.maxLength ?? formatLengths[json.format ?? ""] ?? Number.POSITIVE_INFINITY),
  };
};
