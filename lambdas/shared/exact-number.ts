/** The number `digits` × 10^`power`, without zeros at either end. */
interface ExactNumber {
  isNegative: boolean;
  digits: string;
  power: number;
}

/** Reads a number exactly, so that `1.0`, `1` and `10e-1` are the same. The digits of zero are an empty string. */
export const exactNumber = (number: string): ExactNumber => {
  const [mantissa = "", exponent = "0"] = number.replace(/^-/, "").split(/e/i);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (digits[start] === "0") start += 1;
  while (end > start && digits[end - 1] === "0") end -= 1;
  if (start === end) return { isNegative: false, digits: "", power: 0 };
  const power = Number(exponent) - fraction.length + digits.length - end;
  return { isNegative: number.startsWith("-"), digits: digits.slice(start, end), power };
};

/** The digits of the largest double, with room for a fraction. Longer numbers are not worth comparing. */
const maxNumberLength = 400;

/** Checks whether the double that a number is read as prints the same number. */
export const isExact = (text: string): boolean => {
  const printed = String(Number(text));
  if (text === printed) return true;
  return text.length <= maxNumberLength && JSON.stringify(exactNumber(text)) === JSON.stringify(exactNumber(printed));
};
