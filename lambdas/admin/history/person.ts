import type { Author } from "../../resources/history/change-entry.ts";

/** Whether a person made a change. `by` is a full name, the name that an invocation gave, or the id of a client's token. */
export const isBy = (person: string, { by }: Author): boolean => {
  if (by === person) return true;
  const [kind, id, ...name] = by.split(":");
  if (kind === "token") return id === person;
  return kind === "invoke" && name.length > 0 && name.join(":") === person;
};
