import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { ArgumentRefused } from "../shared/errors/argument-refused.ts";
import { exactNumber } from "../shared/exact-number.ts";
import { type Item, toItem, type Values } from "./records.ts";
import type { AnyTable } from "./table.ts";

/** DynamoDB's limits for the text of a partition key and of a sort key. */
export const mostKeyBytes = 2048;
export const mostSortKeyBytes = 1024;

const number = /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/i;

/** Checks whether DynamoDB can store a number. */
export const isStorable = (text: string): boolean => {
  if (!number.test(text)) return false;
  const { digits, power } = exactNumber(text);
  const magnitude = power + digits.length - 1;
  return digits.length <= 38 && magnitude >= -130 && magnitude <= 125;
};

/** Checks whether an attribute can be part of a key. DynamoDB rejects requests with any other key, even if they only read. */
export const isKeyAttribute = ({ S, N }: AttributeValue, mostBytes: number): boolean =>
  N === undefined ? S !== undefined && S !== "" && Buffer.byteLength(S) <= mostBytes : isStorable(N);

/**
 * Returns the values of a key as attributes.
 *
 * @param sort the name of the sort key
 * @throws {ArgumentRefused} if no key can have one of the values
 */
export const checkedKey = (
  values: Values,
  { schema, codec }: Pick<AnyTable, "schema" | "codec">,
  sort?: string,
): Item => {
  const key = toItem(values, schema, codec);
  for (const [name, attribute] of Object.entries(key)) {
    const mostBytes = name === sort ? mostSortKeyBytes : mostKeyBytes;
    if (isKeyAttribute(attribute, mostBytes)) continue;
    const expected = attribute.N === undefined ? `1 to ${mostBytes} bytes` : "a number with at most 38 digits";
    throw new ArgumentRefused(values[name], `must be ${expected}.`);
  }
  return key;
};
