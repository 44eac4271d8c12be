// What applications import as `fields`. Kept apart from `fields.ts`, because no built-in function needs the following.

import * as z from "zod/mini";

export { decimal } from "./decimal.ts";
export * from "./fields.ts";

/**
 * Gives a schema an example for the documentation and the tests.
 *
 * @example fields.text({ min: 1, max: 100 }).check(fields.example("Hamburg"))
 */
export const example = (value: string | number) => z.meta({ examples: [value] });

/** An id that clients choose and that can be part of a path: up to `max` letters, digits, hyphens and underscores. */
export const id = ({ max }: { max: number }) =>
  z
    .string()
    .check(
      z.regex(new RegExp(`^[A-Za-z0-9_-]{1,${max}}$`), `must be 1 to ${max} letters, digits, hyphens or underscores.`),
      z.meta({ minLength: 1, maxLength: max }),
    );
