// What applications import as `fields`. Kept apart from `fields.ts`, because no built-in function needs the following.

import * as z from "zod/mini";

export { decimal } from "./decimal.ts";
export * from "./fields.ts";

/**
 * Gives a schema an example for the documentation and the tests.
 *
 * @example fields.text({ min: 1, max: 100 }).check(fields.example("Hamburg"))
 */
export const example = (value: string | number | boolean) => z.meta({ examples: [value] });
