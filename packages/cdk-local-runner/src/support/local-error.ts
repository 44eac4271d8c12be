interface LocalErrorOptions extends ErrorOptions {
  /** The option of `startLocalService` that the user can change to avoid the failure. */
  option?: "port" | "dataDirectory" | "externalDatabase";
}

/**
 * A failure that the user of a local run can fix. Its message is one sentence that says what happened and what to do, so it can be
 * shown without a stack trace.
 */
export class LocalError extends Error {
  override name = "LocalError";
  readonly option: LocalErrorOptions["option"];

  constructor(message: string, { option, ...options }: LocalErrorOptions = {}) {
    super(message, options);
    this.option = option;
  }
}

/** Returns the message of anything thrown, for use inside a sentence. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/** Returns the system's error code (`EADDRINUSE`, `LEVEL_LOCKED`) of anything thrown. */
export const codeOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined;

/** Creates the error for a data file or folder that can't be written. It says what to do about the reason. */
export const cannotWrite = (what: string, reason: string, cause?: unknown): LocalError =>
  new LocalError(`${what} (${reason}): ${remedyFor(reason)}, or choose another folder.`, {
    cause,
    option: "dataDirectory",
  });

const remedyFor = (reason: string): string => {
  if (/no space left|disk is full|quota exceeded/i.test(reason)) return "the disk is full, so free some space on it";
  if (/i\/o error/i.test(reason)) return "check the disk";
  return "correct its permissions";
};
