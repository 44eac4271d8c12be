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

/** A string that a function accepts, for example because it is in its canonical form. */
export const textThat = (accepts: (value: string) => boolean, message: string) =>
  z.string().check(z.refine(accepts, message));

/** An id that clients choose and that can be part of a path: up to `max` letters, digits, hyphens and underscores. */
export const id = ({ max }: { max: number }) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^[A-Za-z0-9_-]{1,${max}}$`), `must be 1 to ${max} letters, digits, hyphens or underscores.`),
      z.meta({ minLength: 1, maxLength: max }),
    );

/** Rejects C0 and C1 control characters. */
export const withoutControlCharacters = z.refine<string>(
  (value) => !/\p{Cc}/u.test(value),
  "must not contain control characters.",
);

/** Matches times on the days that every month has. */
const timeOnUsualDay = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const fourDigitYear = /^\d/;

/** Checks whether a string is a time as the service stores and returns it. */
export const isTime = (value: string): boolean =>
  timeOnUsualDay.test(value) || (fourDigitYear.test(value) && isIsoTime(value));

const isIsoTime = (value: string): boolean => {
  const date = new Date(value);
  return !Number.isNaN(date.getTime()) && date.toISOString() === value;
};

/** A time: RFC 3339 in UTC with milliseconds, so that times can be compared as strings. */
export const time = (description?: string) =>
  z.string().check(
    z.refine(isTime, "must be a time in UTC with milliseconds, such as 2026-11-21T10:15:30.123Z."),
    z.meta({
      ...(description !== undefined && { description }),
      format: "date-time",
      pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$",
      examples: ["2026-11-21T10:15:30.123Z"],
    }),
  );

/** A date without a time: RFC 3339. */
export const date = (description?: string) =>
  z.string().check(
    z.refine(
      (value) => /^\d{4}-\d\d-\d\d$/.test(value) && isTime(`${value}T00:00:00.000Z`),
      "must be a date, such as 2026-11-21.",
    ),
    z.meta({ ...(description !== undefined && { description }), format: "date", examples: ["2026-11-21"] }),
  );

/** A ULID, which `newUlid` generates. */
export const ulid = (description?: string) =>
  z.string().check(
    z.refine((value) => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(value), "must be a ULID."),
    z.meta({
      ...(description !== undefined && { description }),
      format: "ulid",
      pattern: "^[0-7][0-9A-HJKMNP-TV-Z]{25}$",
      examples: ["01KAK3Y0V9QX8M4N2R7T5W1Y0B"],
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
