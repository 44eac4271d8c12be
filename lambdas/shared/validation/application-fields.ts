// What applications import as `fields`. Decimals are kept apart from `fields.ts`, because no built-in function needs them.

export { decimal } from "./decimal.ts";
export * from "./fields.ts";
