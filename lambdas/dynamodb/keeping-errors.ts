import type { Change } from "./table.ts";

/**
 * Makes a change, and throws what a handler's own functions throw while it is made. Without this, such an error would look as if
 * the database could not be reached.
 */
export const keepingErrors = async <R extends object, Result>(
  change: Change<R>,
  make: (change: Change<R>) => Promise<Result>,
): Promise<Result> => {
  let thrown: { error: unknown } | undefined;
  const keep =
    <Args extends unknown[], Value>(own: (...args: Args) => Value) =>
    (...args: Args): Value => {
      try {
        return own(...args);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
  try {
    const { appliesTo, set, checkItem } = change;
    const kept = { ...change, appliesTo: keep(appliesTo), set: keep(set) };
    return await make(checkItem ? { ...kept, checkItem: keep(checkItem) } : kept);
  } catch (error) {
    throw thrown ? thrown.error : error;
  }
};
