import type { FieldMessages } from "../errors/api-error.ts";

/** A problem of a field: the end of a sentence that begins with "The <field> ". */
export type Problem = readonly [path: readonly PropertyKey[], problem: string];

/** Maximum problems in one `422`. A body of 4 MB could otherwise get a response that is larger than Lambda permits. */
export const maxProblems = 100;

/** Maximum characters of a field's path. Only hostile names are longer. */
const maxPath = 200;

/**
 * Returns messages by the path of their field, such as `lines.0.quantity`.
 *
 * @param whole the name of the whole input, for problems that have no path
 */
export const messagesFor = (problems: readonly Problem[], whole = "input"): FieldMessages => {
  // Has no prototype, because a field may be called `__proto__`.
  const fields: FieldMessages = Object.create(null);
  for (const [path, problem] of problems.slice(0, maxProblems)) {
    const field = path.length > 0 ? path.join(".").slice(0, maxPath) : whole;
    fields[field] = [...new Set(fields[field]).add(`The ${field} ${problem}`)];
  }
  return fields;
};
