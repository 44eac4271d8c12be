import type { FieldMessages } from "./api-error.ts";

/**
 * A value that an operation of a store cannot work with, such as the cursor of another list. For an endpoint, this is a `422` if the
 * client sent the value, under any name, and a `500` otherwise.
 */
export class ArgumentRefused extends Error {
  override name = "ArgumentRefused";
  readonly #value: unknown;
  readonly #problem: string;

  /** @param problem the end of a sentence that begins with the name of the field */
  constructor(value: unknown, problem: string) {
    super(`An argument of a store's operation ${problem}`);
    this.#value = value;
    this.#problem = problem;
  }

  /** Returns the problem under the path of the field that has this value; `undefined` if the input does not have it. */
  fieldsIn(input: unknown): FieldMessages | undefined {
    const path = pathTo(this.#value, input)?.join(".");
    return path === undefined ? undefined : { [path]: [`The ${path} ${this.#problem}`] };
  }
}

const pathTo = (wanted: unknown, value: unknown): string[] | undefined => {
  if (value === wanted) return [];
  if (typeof value !== "object" || value === null) return undefined;
  for (const [name, part] of Object.entries(value)) {
    const rest = pathTo(wanted, part);
    if (rest) return [name, ...rest];
  }
  return undefined;
};
