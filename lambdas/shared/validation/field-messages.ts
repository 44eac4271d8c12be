import type { FieldMessages } from "../errors/api-error.ts";

/** Maximum messages in one `422`. A body of 4 MB could otherwise get a response that is larger than Lambda permits. */
export const maxMessages = 100;

/** Maximum characters of a field's path. Only hostile names are longer. */
const maxPath = 200;

/**
 * Collects messages by the path of their field, such as `lines.0.quantity`, up to `maxMessages`.
 *
 * @param whole the name of the whole input, for problems that have no path
 */
export const collectMessages = (whole = "input") => {
  // Has no prototype, because a field may be called `__proto__`.
  const fields: FieldMessages = Object.create(null);
  let count = 0;
  return {
    fields,
    isEmpty: () => count === 0,
    isFull: () => count >= maxMessages,
    /** Adds a message. `problem` is the end of a sentence that begins with "The <field> ". */
    add(path: readonly PropertyKey[], problem: string): void {
      if (count >= maxMessages) return;
      const field = path.length === 0 ? whole : path.map(String).join(".").slice(0, maxPath).toWellFormed();
      const message = `The ${field} ${problem}`;
      if (fields[field]?.includes(message)) return;
      fields[field] = [...(fields[field] ?? []), message];
      count += 1;
    },
  };
};
