import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { crc32 } from "../crc32.ts";

interface HttpResponse {
  body: Uint8Array;
  headers: Record<string, string>;
}

/** The names of the attributes that are a table's key. */
type KeyNames = readonly string[];

/** The input of an operation. */
interface Input {
  TableName: string;
  IndexName?: string;
  Key?: Record<string, { S?: string }>;
  ReturnValues?: string;
}

/** The body of a response before validation. */
type Output = Record<string, unknown>;

/**
 * Makes a client reject responses that DynamoDB cannot have sent, so that the SDK repeats the call as after a failure: a body
 * that is not a JSON object or does not fit its checksum, and an object that is not a response to the operation. Fields that
 * this code does not know are ignored, because AWS adds some without notice. A checksum and the counts of a page are checked if
 * the response has them.
 *
 * The SDK would read any object, and even an empty body, as a response without the expected fields. That means "no such item"
 * for a read and "stored" for a write, so a proxy that responds in DynamoDB's place could turn a key into a `404`, and a create
 * that never happened into a `201`.
 *
 * @param keyNames the names of the key's attributes, by the name of the table, or by `indexIn` of an index
 */
export const rejectInvalidResponses = (client: DynamoDBClient, keyNames: ReadonlyMap<string, KeyNames>): void => {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers, body } = result.response as HttpResponse;
      const checksum = headers["x-amz-crc32"];
      if (checksum !== undefined && checksum !== String(crc32(body))) {
        throw new InvalidResponse("does not fit its checksum");
      }
      if (body.find((byte) => !whitespace.has(byte)) !== openingBrace)
        throw new InvalidResponse("is not a JSON object");
      return result;
    },
    { step: "deserialize", priority: "low", name: "rejectInvalidBodies" },
  );

  client.middlewareStack.add(
    (next, { commandName }) => {
      const known = operations[String(commandName)];
      if (!known) throw new Error(`invalid-responses.ts does not know ${commandName}.`);
      const { fields, problemOf } = known;
      return async (args) => {
        const input = args.input as Input;
        const place = input.IndexName === undefined ? input.TableName : indexIn(input.TableName, input.IndexName);
        const keys = keyNames.get(place) ?? [];
        const result = await next(args).catch((error: unknown) => {
          const item = error instanceof Error && "Item" in error ? error.Item : undefined;
          if (item !== undefined && !isItem(item, input)) throw new InvalidResponse("has another item");
          throw error;
        });
        const output: Output = { ...result.output };
        const isOther = Object.keys(output).some(
          (name) => otherFields.has(name.toLowerCase()) && !fields.includes(name),
        );
        const problem = isOther ? "is an error, or of another operation" : problemOf(output, input, keys);
        if (problem !== undefined) throw new InvalidResponse(problem);
        return result;
      };
    },
    { step: "deserialize", priority: "high", name: "rejectInvalidResponses" },
  );
};

/** The name of an index together with that of its table. */
export const indexIn = (tableName: string, indexName: string): string => `${tableName}/index/${indexName}`;

const openingBrace = "{".charCodeAt(0);

/** The bytes that JSON allows before a value. */
const whitespace = new Set(Buffer.from(" \t\r\n"));

/** A response that DynamoDB cannot have sent. The message does not quote it, because it may contain secrets. */
export class InvalidResponse extends Error {
  override name = "InvalidResponse";
  /** Tells the SDK that the call can be retried. */
  readonly $retryable = {};

  constructor(problem: string) {
    super(`DynamoDB's response ${problem}: something else may have responded in its place.`);
  }
}

/** A response of an operation: the fields that this service reads, and a check of them. */
interface Operation {
  fields: readonly string[];
  problemOf: (output: Output, input: Input, keys: KeyNames) => string | undefined;
}

const page: Operation = {
  fields: ["Items", "Count", "ScannedCount", "LastEvaluatedKey"],
  problemOf: ({ Items, Count, ScannedCount, LastEvaluatedKey }, _input, keys) => {
    if (!Array.isArray(Items) || !Items.every(isObject)) return "has no list of items";
    if (Count !== undefined && Count !== Items.length) return "has a wrong count";
    if (ScannedCount !== undefined && !(isCount(ScannedCount) && ScannedCount >= Items.length))
      return "has a wrong count";
    if (LastEvaluatedKey !== undefined && !isKey(LastEvaluatedKey, keys)) return "has no key to continue from";
  },
};

const operations: Readonly<Record<string, Operation>> = {
  GetItemCommand: {
    fields: ["Item"],
    problemOf: ({ Item }, input) => (Item === undefined || isItem(Item, input) ? undefined : "has another item"),
  },
  UpdateItemCommand: {
    fields: ["Attributes"],
    problemOf: ({ Attributes }, { ReturnValues = "NONE", ...input }) => {
      if (Attributes === undefined) return ReturnValues.endsWith("_NEW") ? "has no attributes" : undefined;
      const isRight = ReturnValues.startsWith("ALL") ? isItem(Attributes, input) : isObject(Attributes);
      if (!isRight) return "has other attributes";
    },
  },
  QueryCommand: page,
  ScanCommand: page,
};

/** The fields of errors, and those that belong to one operation only. */
const otherFields = new Set(
  ["__type", "message", "error", ...Object.values(operations).flatMap(({ fields }) => fields)].map((name) =>
    name.toLowerCase(),
  ),
);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

const isObject = (value: unknown): value is Output =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is the item that the operation is about. */
const isItem = (value: unknown, { Key = {} }: Input): boolean =>
  isObject(value) && Object.entries(Key).every(([name, { S }]) => isObject(value[name]) && value[name].S === S);

const isKey = (value: unknown, names: KeyNames): boolean =>
  isObject(value) &&
  Object.keys(value).length === names.length &&
  names.every((name) => isObject(value[name]) && typeof value[name].S === "string" && value[name].S !== "");
