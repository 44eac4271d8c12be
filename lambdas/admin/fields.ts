import * as z from "zod/mini";
import { wholeNumber } from "../declaration/fields.ts";

/** How many items a page may have: a number, which a query string sends as text. */
export const pageLimit = z._default(
  z.pipe(
    z.transform((value) => (typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value)),
    wholeNumber({ min: 1, max: 1000 }),
  ),
  100,
);
