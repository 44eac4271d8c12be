import * as z from "zod/mini";
import { text, wholeNumber, withoutControlCharacters } from "../shared/validation/fields.ts";
import { cursor } from "../shared/validation/paging.ts";

/** Accepts a whole number, which arrives as a string in a query string. */
export const queriedNumber = (bounds: { min: number; max: number }) =>
  z.pipe(
    z.transform((value) => (typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value)),
    wholeNumber(bounds),
  );

/** Maximum number of items per page. */
export const pageLimit = z
  ._default(queriedNumber({ min: 1, max: 1000 }), 100)
  .check(z.meta({ description: "How many items the page may have." }));

/** The cursor at which a page begins. */
export const pageCursor = (isPossible: (id: string) => boolean) =>
  cursor(isPossible).check(z.meta({ description: "The next_cursor of the previous page." }));

/** Accepts an RFC 3339 time with any offset. Converts it to UTC with milliseconds, so that times can be compared as strings. */
export const timestamp = z.pipe(
  z.iso.datetime({ offset: true, error: "must be a time such as 2027-01-01T00:00:00Z." }),
  z.transform((value) => new Date(value).toISOString()),
);

/** The name that the invoker passes. */
export const invokedBy = text({ min: 1, max: 100 }).check(
  withoutControlCharacters,
  z.meta({ description: "Who does it: recorded with a change, and not verified." }),
);
