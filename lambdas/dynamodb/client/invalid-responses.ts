import { crc32 } from "node:zlib";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";

interface HttpResponse {
  body: Uint8Array;
  headers: Record<string, string>;
}

/** The names of a table's key attributes. */
type KeyNames = readonly string[];

/** The input of an operation. */
interface Input {
  TableName: string;
  IndexName?: string;
  Key?: Record<string, { S?: string; N?: string }>;
  ReturnValues?: string;
}

/** The body of a response before validation. */
type Output = Record<string, unknown>;

/**
 * Makes a client reject responses that DynamoDB cannot have sent, so that the SDK retries the call. Such a response has a body that
 * is not a JSON object or does not match its checksum, or its object is not a response to the operation. Unknown fields are
 * ignored, because AWS adds fields without notice. The checksum and a page's counts are checked only if the response has them.
 *
 * The SDK would accept any object, and even an empty body, as a response without the expected fields. That means "no such item" for
 * a read and "stored" for a write. A proxy that responds instead of DynamoDB could therefore turn a key into a `404`, or a failed
 * create into a `201`.
 *
 * @param keyNames the names of the key attributes, by table name, or by `indexIn` of an index
 */
export const rejectInvalidResponses = (client: DynamoDBClient, keyNames: ReadonlyMap<string, KeyNames>): void => {
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers, body } = result.response as HttpResponse;
      const checksum = headers["x-amz-crc32"];
      if (checksum !== undefined && checksum !== String(crc32(body))) {
        throw new InvalidResponse("does not match its checksum");
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

/** Identifies an index together with its table. */
export const indexIn = (tableName: string, indexName: string): string => `${tableName}/index/${indexName}`;

const openingBrace = "{".charCodeAt(0);

/** The bytes that JSON allows before a value. */
const whitespace = new Set(Buffer.from(" \t\r\n"));

/** A response that DynamoDB cannot have sent. The message does not quote the response, because it may contain secrets. */
export class InvalidResponse extends Error {
  override name = "InvalidResponse";
  /** Tells the SDK that it may retry the call. */
  readonly $retryable = {};

  constructor(problem: string) {
    super(`DynamoDB's response ${problem}: something else may have responded in its place.`);
  }
}

/** The fields of an operation's response that this service reads, and a check of the response. */
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
  TransactWriteItemsCommand: { fields: [], problemOf: () => undefined },
  QueryCommand: page,
  ScanCommand: page,
};

/** The fields of errors, and the fields that only one operation returns. */
const otherFields = new Set(
  ["__type", "message", "error", ...Object.values(operations).flatMap(({ fields }) => fields)].map((name) =>
    name.toLowerCase(),
  ),
);

const isCount = (value: unknown): value is number => Number.isSafeInteger(value);

const isObject = (value: unknown): value is Output =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Checks whether a value is the item that the operation is about. */
const isItem = (value: unknown, { Key = {} }: Input): boolean =>
  isObject(value) &&
  Object.entries(Key).every(([name, { S, N }]) => isObject(value[name]) && value[name].S === S && value[name].N === N);

const isKey = (value: unknown, names: KeyNames): boolean =>
  isObject(value) &&
  Object.keys(value).length === names.length &&
  names.every((name) => isObject(value[name]) && isKeyValue(value[name].S ?? value[name].N));

const isKeyValue = (value: unknown): boolean => typeof value === "string" && value !== "";
