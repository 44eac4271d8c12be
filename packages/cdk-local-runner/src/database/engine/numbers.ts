import { invalid } from "./errors.ts";

/** The number `digits` × 10^`exponent`. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

const maximumDigits = 38;
// Powers of ten of the first digit.
const maximumMagnitude = 125;
const minimumMagnitude = -130;

const integer = /^(0|-?[1-9]\d{0,14})$/;
const decimal = /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i;

/** Formats a number like DynamoDB, without an exponent and unnecessary digits. */
export const normalise = (text: string): string => (integer.test(text) ? text : format(read(text)));

export const addNumbers = (left: string, right: string): string => {
  const [one, other] = aligned(read(left), read(right));
  return format(read(`${one.digits + other.digits}e${one.exponent}`, tooLarge));
};

/** Compares two numbers. Returns a negative, zero or positive number. */
export const compareNumbers = (left: string, right: string): number => {
  if (left === right) return 0;
  const [one, other] = aligned(read(left), read(right));
  return one.digits < other.digits ? -1 : Number(one.digits > other.digits);
};

/** Returns a string of ASCII characters that sorts by the number's value. No such string is a prefix of another. */
export const sortableNumber = (text: string): string => {
  const { digits, exponent } = read(text);
  if (digits === 0n) return "1";
  const significant = String(digits < 0n ? -digits : digits);
  const magnitude = significant.length + exponent - 1 - minimumMagnitude;
  const body = `${String(magnitude).padStart(3, "0")}${significant}`;
  // The larger a negative number's absolute value, the lower it sorts.
  return digits > 0n ? `2${body}\0` : `0${body.replace(/\d/g, (digit) => String(9 - Number(digit)))}~`;
};

/** Returns the size of a number in an item. */
export const bytesOfNumber = (text: string): number => {
  const { digits } = read(text);
  const significant = String(digits).replace("-", "").length;
  return Math.ceil(significant / 2) + 1 + Number(digits < 0n);
};

const magnitudeProblem = "Attempting to store a number with magnitude";
// Observed: the error for a sum that would need more digits says this, too.
const tooLarge = `Number overflow. ${magnitudeProblem} larger than supported range`;

const read = (
  text: string,
  tooPrecise = "Attempting to store more than 38 significant digits in a Number",
): Decimal => {
  const parts = decimal.exec(text);
  if (!parts) throw invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  const [, sign, whole = "", fraction = "", power = "0"] = parts;
  const all = `${whole}${fraction}`.replace(/^0+/, "");
  const significant = all.replace(/0+$/, "");
  if (significant === "") return { digits: 0n, exponent: 0 };
  if (significant.length > maximumDigits) {
    throw invalid(tooPrecise);
  }
  const exponent = Number(power) - fraction.length + all.length - significant.length;
  const magnitude = significant.length + exponent - 1;
  if (magnitude > maximumMagnitude) throw invalid(tooLarge);
  if (magnitude < minimumMagnitude) {
    throw invalid(`Number underflow. ${magnitudeProblem} smaller than supported range`);
  }
  const digits = BigInt(significant);
  return { digits: sign === "-" ? -digits : digits, exponent };
};

const format = ({ digits, exponent }: Decimal): string => {
  if (exponent >= 0) return `${digits}${digits === 0n ? "" : "0".repeat(exponent)}`;
  const [sign, significant] = digits < 0n ? ["-", String(-digits)] : ["", String(digits)];
  const padded = significant.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
};

const aligned = (left: Decimal, right: Decimal): [Decimal, Decimal] => {
  const exponent = Math.min(left.exponent, right.exponent);
  const at = (one: Decimal) => ({ digits: one.digits * 10n ** BigInt(one.exponent - exponent), exponent });
  return [at(left), at(right)];
};
