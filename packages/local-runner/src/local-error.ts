/**
 * A failure that the user of the local run can mend. Its message is one sentence that says what happened and what to
 * do; the entry point prints it without a stack trace and exits with code 1.
 */
export class LocalError extends Error {
  override name = "LocalError";
}

/** The message of whatever was thrown, for use inside a sentence. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** The system's error code (`EADDRINUSE`, `LEVEL_LOCKED`) of whatever was thrown. */
export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;
