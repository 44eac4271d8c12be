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
  const fields = Object.entries(fieldsOf(table));
  const unstorable = fields.flatMap(([name, schema]) => storageProblem(store, name, schema, table));
  if (unstorable.length > 0) return unstorable;
  return [...fieldMistakes(store, table), ...keyMistakes(store, table), ...indexMistakes(store, table)];
};

const fieldMistakes = (store: string, table: AnyTable): string[] => {
  const fields = fieldsOf(table);
  const mistakes: string[] = [];
  for (const name of Object.keys(fields)) {
    if (reserved.includes(name)) {
      mistakes.push(
        `The field ${name} of the table ${store} needs another name, because the store writes an attribute with this name.`,
      );
    }
  }
  if (expressionBytesOf(Object.keys(fields)) > fieldExpressionBytes) {
    mistakes.push(
      `The table ${store} has too many fields, or their names are too long, for an expression of DynamoDB: put some of them into an object.`,
    );
  }
  for (const name of fixedFieldsOf(table)) {
    if (fields[name] && z.safeParse(fields[name], undefined).success) {
      mistakes.push(
        `The field ${name} of the table ${store} must be required, because it divides the \`changes\`: nobody would get those of a record without it.`,
      );
    }
  }
  return mistakes;
};

const keyMistakes = (store: string, table: AnyTable): string[] => {
  const { partitionKey, sortKey } = table;
  const mistakes = checkKey({ names: [partitionKey], bytes: mostKeyBytes, title: "the partition key", store, table });
  const schema = fieldsOf(table)[partitionKey];
  if (schema && keyFacts(schema, table).type === "N") {
    mistakes.push(`The partition key ${partitionKey} of the table ${store} must be text.`);
  }
  if (sortKey !== undefined) {
    mistakes.push(...checkKey({ names: [sortKey], bytes: mostSortKeyBytes, title: "the sort key", store, table }));
  }
  return mistakes;
};

const indexMistakes = (store: string, table: AnyTable): string[] => {
  const indexes = Object.entries(table.indexes ?? {});
  const mistakes: string[] = [];
  if (indexes.length > maxIndexes) {
    const counted = table.changes ? ", with that of its `changes`" : "";
    mistakes.push(`The table ${store} has ${indexes.length} indexes${counted}, and DynamoDB allows ${maxIndexes}.`);
  }
  for (const [name, { partition, sort }] of indexes) {
    // The shard of the index of changes is not a field.
    if (partition.includes(changeShard)) continue;
    const title = name === changeIndexName ? "`changes`" : `the index ${name}`;
    const index = `${title.charAt(0).toUpperCase()}${title.slice(1)} of the table ${store}`;
    if (name !== changeIndexName && !/^[a-z][A-Za-z0-9]{2,99}$/.test(name)) {
      mistakes.push(`${index} needs another name: 3 to 100 letters and digits, beginning with a lower-case letter.`);
    }
    if (partition.length < 1 || partition.length > maxPartitionFields) {
      mistakes.push(`${index} needs 1 to ${maxPartitionFields} fields in its partition.`);
    }
    if (new Set([...partition, sort]).size <= partition.length) {
      mistakes.push(`${index} names a field twice.`);
    }
    mistakes.push(...checkKey({ names: partition, bytes: mostKeyBytes, title, store, table }));
    mistakes.push(...checkKey({ names: [sort], bytes: mostSortKeyBytes, title, store, table }));
  }
  return mistakes;
};

const expressionBytesOf = (names: readonly string[]): number =>
  Buffer.byteLength(names.map((name) => `#${name} = :${name}, `).join(""));

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
  const mistakes: string[] = [];
  let length = 0;
  for (const name of names) {
    const schema = fieldsOf(table)[name];
    if (!schema) {
      mistakes.push(`The table ${store} has no field ${name} for ${title}.`);
      continue;
    }
    const facts = keyFacts(schema, table);
    const field = `The field ${name} of the table ${store}`;
    if (facts.type === undefined) {
      mistakes.push(
        `${field} cannot be part of ${title}: use text or a number that is not nullable, and an enum instead of a boolean.`,
      );
    }
    if (facts.mayBeEmpty) {
      mistakes.push(`${field} needs a minimum length of 1, because it is part of ${title}.`);
    }
    length += facts.length;
  }
  const most = Math.floor(bytes / bytesPerCharacter);
  if (mistakes.length === 0 && length > most) {
    const together = names.length > 1 ? " together" : "";
    mistakes.push(
      `${names.join(" and ")} of the table ${store} may have at most ${most} characters${together}, because DynamoDB limits ${title} to ${bytes} bytes. Declare a maximum length.`,
    );
  }
  return mistakes;
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
