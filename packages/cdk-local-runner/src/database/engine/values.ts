import { isRecord } from "../../support/json.ts";
import { invalid, malformed, UnsupportedRequest } from "./errors.ts";
import { bytesOfNumber, compareNumbers, normalise } from "./numbers.ts";

interface Contents {
  S: string;
  N: string;
  /** Base64 */
  B: string;
  BOOL: boolean;
  NULL: boolean;
  SS: string[];
  NS: string[];
  BS: string[];
  L: AttributeValue[];
  M: Item;
}

type Type = keyof Contents;

/** An attribute value in DynamoDB's JSON format. */
export type AttributeValue = { [One in Type]: Pick<Contents, One> & { [Other in Exclude<Type, One>]?: never } }[Type];

export type Item = Record<string, AttributeValue>;

const maximumNameBytes = 65_535;
// Observed: an attribute itself counts as the first of 32 levels.
const maximumDepth = 31;

/** Parses an item, a key, or a request's values, with all numbers in DynamoDB's format. */
export const readItem = (value: unknown): Item => readMembers(value, 0);

const readMembers = (value: unknown, depth: number): Item => {
  if (!isRecord(value)) throw malformed("Start of structure or map found where not expected");
  const item: Item = {};
  for (const name in value) {
    checkName(name);
    item[name] = readValue(value[name], depth);
  }
  return item;
};

export const checkName = (name: string): void => {
  if (name === "") throw new UnsupportedRequest("an empty name of an attribute");
  // Assigning it would set the item's prototype.
  if (name === "__proto__") throw new UnsupportedRequest("an attribute named __proto__");
  if (name.length > maximumNameBytes / 4 && Buffer.byteLength(name) > maximumNameBytes) {
    throw invalid(
      "One or more parameter values were invalid: Attribute name is too large, must be less than 65536 bytes",
    );
  }
};

const readValue = (value: unknown, depth: number): AttributeValue => {
  if (!isRecord(value)) throw malformed("Unexpected value type in payload");
  const types = Object.keys(value).filter((name) => value[name] !== null);
  const [type = ""] = types;
  if (types.length > 1) {
    throw invalid(
      "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes",
    );
  }
  const content = value[type];
  switch (type) {
    case "S":
      return { S: textOf(content) };
    case "N":
      return { N: normalise(textOf(content)) };
    case "B":
      return { B: binaryOf(content) };
    case "BOOL":
    case "NULL":
      if (typeof content !== "boolean") throw malformed(`${typeof content} can not be converted to a Boolean`);
      if (type === "BOOL") return { BOOL: content };
      if (!content)
        throw invalid(
          "One or more parameter values were invalid: Null attribute value types must have the value of true",
        );
      return { NULL: true };
    case "SS":
      return { SS: setOf(content, "string", textOf) };
    case "NS":
      return { NS: setOf(content, "number", (member) => normalise(textOf(member))) };
    case "BS":
      return { BS: setOf(content, "binary", binaryOf) };
    case "L":
      if (!Array.isArray(content)) throw malformed("Unexpected value type in payload");
      return { L: content.map((member: unknown) => readValue(member, nested(depth))) };
    case "M":
      return { M: readMembers(content, nested(depth)) };
    default:
      throw invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  }
};

const nested = (depth: number): number => {
  if (depth >= maximumDepth) {
    throw invalid(
      "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit",
    );
  }
  return depth + 1;
};

/** Rejects a value that is nested too deeply for its place, which is this deep. */
export const checkDepth = ({ L, M }: AttributeValue, depth: number): void => {
  for (const member of L ?? Object.values(M ?? {})) checkDepth(member, nested(depth));
};

const textOf = (content: unknown): string => {
  if (typeof content !== "string") throw malformed(`${typeof content} can not be converted to a String`);
  return content;
};

const binaryOf = (content: unknown): string => {
  const text = textOf(content);
  const canonical = Buffer.from(text, "base64").toString("base64");
  if (canonical !== text) throw malformed("Base64 encoded length is unexpected, or has other characters");
  return text;
};

const setOf = (content: unknown, kind: string, read: (member: unknown) => string): string[] => {
  if (!Array.isArray(content)) throw malformed("Unexpected value type in payload");
  const members = content.map(read);
  const problem = "One or more parameter values were invalid:";
  const empty = kind === "binary" ? "Binary sets should not be empty" : `An ${kind} set  may not be empty`;
  if (members.length === 0) throw invalid(`${problem} ${empty}`);
  if (new Set(members).size < members.length) {
    throw invalid(`${problem} Input collection [${members.join(", ")}] contains duplicates.`);
  }
  return members;
};

export const typeOf = (value: AttributeValue): string => Object.keys(value)[0] ?? "";

/** Returns the members of any kind of set; undefined for other values. */
export const membersOf = ({ SS, NS, BS }: AttributeValue): string[] | undefined => SS ?? NS ?? BS;

export const isEmpty = ({ S, B }: AttributeValue): boolean => S === "" || B === "";

export const isEqual = (left: AttributeValue, right: AttributeValue): boolean => {
  if (typeOf(left) !== typeOf(right)) return false;
  const [one, other] = [membersOf(left), membersOf(right)];
  if (one && other) return one.length === other.length && one.every((member) => other.includes(member));
  if (left.L && right.L) {
    const { L: members } = right;
    return (
      left.L.length === members.length && left.L.every((member, index) => isEqualOrMissing(member, members[index]))
    );
  }
  if (left.M && right.M) {
    const { M: members } = right;
    const entries = Object.entries(left.M);
    return (
      entries.length === Object.keys(members).length &&
      entries.every(([name, member]) => isEqualOrMissing(member, members[name]))
    );
  }
  return left.S === right.S && left.N === right.N && left.B === right.B && left.BOOL === right.BOOL;
};

const isEqualOrMissing = (left: AttributeValue, right: AttributeValue | undefined): boolean =>
  right !== undefined && isEqual(left, right);

/**
 * Compares two numbers, strings or binaries. Returns a negative, zero or positive number, or undefined if they can't be compared.
 */
export const compare = (left: AttributeValue, right: AttributeValue): number | undefined => {
  if (left.N !== undefined && right.N !== undefined) return compareNumbers(left.N, right.N);
  const isComparable = (left.S === undefined) === (right.S === undefined);
  const [one, other] = [bytesOf(left), bytesOf(right)];
  return isComparable && one && other ? Buffer.compare(one, other) : undefined;
};

/** Returns the bytes of a string or a binary. */
export const bytesOf = ({ S, B }: AttributeValue): Buffer | undefined => {
  if (S !== undefined) return Buffer.from(S);
  return B === undefined ? undefined : Buffer.from(B, "base64");
};

/** Returns the result of the function `size`; undefined for numbers and other values without a size. */
export const lengthOf = (value: AttributeValue): number | undefined => {
  if (value.M) return Object.keys(value.M).length;
  return bytesOf(value)?.length ?? membersOf(value)?.length ?? value.L?.length;
};

/** Returns the size of an item in bytes, by DynamoDB's rules. */
export const itemBytes = (item: Item): number => {
  let bytes = 0;
  for (const name in item) {
    const value = item[name];
    if (value) bytes += Buffer.byteLength(name) + valueBytes(value);
  }
  return bytes;
};

const valueBytes = ({ S, N, B, SS, NS, BS, L, M }: AttributeValue): number => {
  if (S !== undefined) return Buffer.byteLength(S);
  if (N !== undefined) return bytesOfNumber(N);
  if (B !== undefined) return Buffer.byteLength(B, "base64");
  if (SS) return sum(SS.map((member) => Buffer.byteLength(member)));
  if (NS) return sum(NS.map(bytesOfNumber));
  if (BS) return sum(BS.map((member) => Buffer.byteLength(member, "base64")));
  if (L) return 3 + sum(L.map((member) => 1 + valueBytes(member)));
  return M ? 3 + Object.keys(M).length + itemBytes(M) : 1;
};

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
