import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { exactNumber } from "../shared/exact-number.ts";
import type { Item, Values } from "./records.ts";
import type { Positions } from "./table.ts";

/** The order of the sort field. */
export type Order = "ascending" | "descending";

interface BoundsOptions {
  /** The name of the sort field. */
  sort: string;
  from?: string | number | undefined;
  to?: string | number | undefined;
  after?: string | undefined;
  order: Order;
  positions: Positions;
  toItem: (values: Values) => Item;
}

interface Bounds {
  /** Key conditions on the sort field, and their values. */
  conditions: string[];
  values: Item;
  /** Where the page begins, unless that is where the bounds begin anyway. */
  after: string | undefined;
}

/**
 * Returns the bounds of a page; `undefined` if no record can be within them. DynamoDB would reject bounds in the wrong order.
 * It would also reject a position outside the bounds, which a client can send with a cursor from another request.
 */
export const boundsOf = ({ sort, from, to, after, order, positions, toItem }: BoundsOptions): Bounds | undefined => {
  // No value is before an empty string, and none is up to one.
  if (to === "") return undefined;
  const [first, last] = [from === "" ? undefined : from, to].map((value) => toItem({ [sort]: value })[sort]);
  const position = after === undefined ? undefined : positions.keyOf(after)?.[sort];
  const [begin, end] = order === "ascending" ? [first, last] : [last, first];
  const isPast = (one: AttributeValue | undefined, other: AttributeValue | undefined) =>
    one !== undefined && other !== undefined && sign(compare(one, other), order) > 0;
  if (isPast(begin, end) || isPast(position, end)) return undefined;
  return {
    ...conditionsOn(sort, first, last),
    after: isPast(begin, position) ? undefined : after,
  };
};

const sign = (comparison: number, order: Order): number => (order === "ascending" ? comparison : -comparison);

const conditionsOn = (
  sort: string,
  from: AttributeValue | undefined,
  to: AttributeValue | undefined,
): Omit<Bounds, "after"> => {
  if (from && to) return { conditions: [`#${sort} BETWEEN :from AND :to`], values: { ":from": from, ":to": to } };
  if (from) return { conditions: [`#${sort} >= :from`], values: { ":from": from } };
  return to ? { conditions: [`#${sort} <= :to`], values: { ":to": to } } : { conditions: [], values: {} };
};

/** Compares keys as DynamoDB does: numbers exactly, and strings by their UTF-8 bytes. */
const compare = (one: AttributeValue, other: AttributeValue): number =>
  one.N !== undefined && other.N !== undefined
    ? Number(scaled(one.N) - scaled(other.N))
    : Buffer.compare(Buffer.from(one.S ?? ""), Buffer.from(other.S ?? ""));

/** No number of DynamoDB or of JavaScript has more decimal places. */
const mostPlaces = 400;

const scaled = (number: string): bigint => {
  const { isNegative, digits, power } = exactNumber(number);
  const scaledDigits = BigInt(digits) * 10n ** BigInt(power + mostPlaces);
  return isNegative ? -scaledDigits : scaledDigits;
};
