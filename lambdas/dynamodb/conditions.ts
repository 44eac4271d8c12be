/** A value that a condition can compare. */
type Scalar = string | number | boolean | null | undefined;

/**
 * What a stored record must be like: for each field the value, or one of several values, that it must have. Or a function, which
 * may be called again if another change comes first.
 *
 * @example { status: ["created", "packed"] }
 */
export type Conditions<R> =
  | { readonly [Name in keyof R as R[Name] extends Scalar ? Name : never]?: R[Name] | readonly R[Name][] }
  | ((stored: R) => boolean);

/** Checks whether a stored record is as the conditions require. */
export const conditionsHold = <R extends object>(conditions: Conditions<R>, stored: R): boolean => {
  if (typeof conditions === "function") return conditions(stored);
  const values = new Map<string, unknown>(Object.entries(stored));
  return Object.entries(conditions).every(([name, accepted]) =>
    Array.isArray(accepted) ? accepted.includes(values.get(name)) : accepted === values.get(name),
  );
};
