import * as z from "zod/mini";

interface DecimalOptions {
  /** How many digits follow the point. */
  places: number;
  /** The smallest and the largest value, written with the same places. */
  min: string;
  max: string;
}

const decimals = z.registry<{ places: number }>();

/** Returns how many digits follow the point of a decimal; `undefined` if the schema is not a decimal. */
export const decimalPlaces = (schema: z.core.$ZodType): number | undefined => decimals.get(schema)?.places;

/**
 * An exact decimal number: a string with exactly `places` digits after the point. It is stored and sorted as a number in
 * DynamoDB.
 *
 * @example decimal({ places: 2, min: "0.00", max: "99999.99" }) // accepts "12.50"
 */
export const decimal = ({ places, min, max }: DecimalOptions) => {
  const form = new RegExp(`^(?!-[0.]+$)-?(?:0|[1-9]\\d*)${places === 0 ? "" : `\\.\\d{${places}}`}$`);
  if (!form.test(min) || !form.test(max) || max.length > 38) {
    throw new Error(`${min} and ${max} must be decimals with ${places} places and at most 38 digits.`);
  }
  const scaled = (value: string): bigint => BigInt(value.replace(".", ""));
  const [least, most] = [scaled(min), scaled(max)];
  const schema = z.string().check(
    z.refine(
      (value) => form.test(value) && value.length <= 40 && scaled(value) >= least && scaled(value) <= most,
      `must be a decimal number from ${min} to ${max} with ${places} decimal places, sent as a string.`,
    ),
    z.meta({ format: "decimal", pattern: form.source, examples: [min] }),
  );
  decimals.add(schema, { places });
  return schema;
};
