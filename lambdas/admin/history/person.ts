import type { Author } from "../../resources/history/change-entry.ts";

/**
 * Whether a person made a change. The person is given by the recorded name, the name in an invocation, or a client's token id.
 */
export const isBy = (person: string, { by }: Author): boolean => {
  if (by === person) return true;
  const [kind, id, ...name] = by.split(":");
  if (kind === "token") return id === person;
  return kind === "invoke" && name.length > 0 && name.join(":") === person;
};
