/** Data was changed by something other than this program. The message names the file. */
export class DamagedData extends Error {
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`${path} ${what}`, options);
  }
}

/** Returns the code of a SQLite error, without its details; undefined for other errors. */
const codeOfSqlite = (error: unknown): number | undefined =>
  error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode : undefined;

/** Whether another process uses a file of SQLite. */
export const isBusy = (error: unknown): boolean => codeOfSqlite(error) === 5;

// No permission, busy, locked, no memory, read-only, interrupted, input or output, full, cannot open, authorisation.
const environmentCodes = [3, 5, 6, 7, 8, 9, 10, 13, 14, 23];
const shortRead = 522;

/** Returns the damage that a SQLite error reveals, or the error itself if it has another cause. */
export const damageIn = (error: unknown, path: string): unknown => {
  const code = codeOfSqlite(error);
  if (code === undefined || !(error instanceof Error)) return error;
  const isDamage = code === shortRead || !environmentCodes.includes(code & 0xff);
  return isDamage ? new DamagedData(path, `cannot be read: ${error.message}`, { cause: error }) : error;
};
