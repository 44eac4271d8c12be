import * as z from "zod/mini";
import { codePoints } from "./characters.ts";

/*
 * Checks that several schemas share. Each message is the end of a sentence that begins with "The <field> ", so schemas need not
 * know their field's name.
 */

/**
 * Accepts a string of `min` to `max` Unicode code points, which is how JSON Schema counts characters.
 *
 * Rejects half of a surrogate pair, which JSON can express but UTF-8 cannot. It would be stored as another character, and different
 * strings could become equal.
 */
export const text = ({ min, max }: { min: number; max: number }) => {
  const message = min === max ? `must be ${min} characters.` : `must be ${min} to ${max} characters.`;
  return z.string().check(
    z.refine((value) => {
      const length = codePoints(value);
      return length >= min && length <= max;
    }, message),
    z.refine((value) => value.isWellFormed(), "must be well-formed Unicode."),
    z.meta({ minLength: min, maxLength: max }),
  );
};

/** Rejects C0 and C1 control characters. */
export const withoutControlCharacters = z.refine<string>(
  (value) => !/\p{Cc}/u.test(value),
  "must not contain control characters.",
);

/** A time as the service returns it: RFC 3339 in UTC, with milliseconds. */
export const time = (description: string) =>
  z.string().check(
    z.meta({
      description,
      format: "date-time",
      pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
      examples: ["2026-11-21T10:15:30.123Z"],
    }),
  );

/** A JSON number: whole, from `min` to `max`. */
export const wholeNumber = ({ min, max }: { min: number; max: number }) =>
  z.number().check(
    z.refine((value) => Number.isInteger(value) && value >= min && value <= max, wholeNumberMessage({ min, max })),
    z.meta({ type: "integer", minimum: min, maximum: max }),
  );

/** Accepts a whole number, which arrives as a string in a form or a query string. */
export const sentWholeNumber = ({ min, max, description }: { min: number; max: number; description: string }) =>
  z.pipe(
    z.string().check(
      z.refine(
        (value) => /^\d{1,9}$/.test(value) && Number(value) >= min && Number(value) <= max,
        wholeNumberMessage({ min, max }),
      ),
      z.meta({ description, type: "integer", minimum: min, maximum: max }),
    ),
    z.transform(Number),
  );

export const wholeNumberMessage = ({ min, max }: { min: number; max: number }): string =>
  `must be a whole number from ${min} to ${max}.`;
