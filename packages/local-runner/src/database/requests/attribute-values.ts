import { isRecord } from "../../support/is-record.ts";
import { UnsupportedRequest } from "./refusals.ts";

// DynamoDB allows 32 levels; what it counts as one is not documented.
const maximumDepth = 31;

// DynamoDB's limit is 65,535 bytes; a character has at most 4 bytes.
const maximumNameLength = 16_383;

/**
 * Checks the attributes of an item or a key. Numbers that DynamoDB reads and the engine does not are written as the engine
 * reads them. Values of a wrong form are left to the engine, which refuses them as DynamoDB does.
 */
export const checkItem = (item: unknown, depth = 0): void => {
  if (!isRecord(item)) return;
  for (const name of Object.keys(item)) {
    checkName(name);
    checkValue(item[name], depth);
  }
};

/** Checks the name of an attribute. */
export const checkName = (name: string): void => {
  if (name === "") throw new UnsupportedRequest("an empty name of an attribute");
  // The engine loses it.
  if (name === "__proto__") throw new UnsupportedRequest("an attribute named __proto__");
  if (name.length > maximumNameLength) throw new UnsupportedRequest("a name of an attribute of more than 16 KB");
};

const checkValue = (value: unknown, depth: number): void => {
  if (!isRecord(value)) return;
  if (typeof value.N === "string") value.N = numberForEngine(value.N);
  if (Array.isArray(value.NS)) {
    value.NS = value.NS.map((text: unknown) => (typeof text === "string" ? numberForEngine(text) : text));
  }
  for (const set of [value.SS, value.BS]) {
    if (Array.isArray(set) && set.includes("")) throw new UnsupportedRequest("a set with an empty value");
  }
  if (value.L === undefined && value.M === undefined) return;
  if (depth >= maximumDepth) throw new UnsupportedRequest("more than 31 levels of lists and maps");
  if (Array.isArray(value.L)) for (const member of value.L) checkValue(member, depth + 1);
  checkItem(value.M, depth + 1);
};

/** Whether a value is one that no key can have. */
export const isEmpty = (value: unknown): boolean => isRecord(value) && (value.S === "" || value.B === "");

/** Whether the text of a request may have a number that the engine does not read as DynamoDB does. */
export const mayHaveOtherNumbers = (text: string): boolean => /"(\+|-[0.])/.test(text);

/** The engine knows no plus sign before a number, and keeps the sign of zero. */
const numberForEngine = (text: string): string => {
  const unsigned = text.replace(/^\+(?=[\d.])/, "");
  return /^-0*\.?0*(e[+-]?\d+)?$/i.test(unsigned) ? unsigned.slice(1) : unsigned;
};
