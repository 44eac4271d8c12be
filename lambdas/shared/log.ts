/** A log level as settings and code spell it. */
export type LogLevel = "info" | "warn" | "error";

const levels: readonly string[] = ["info", "warn", "error"] satisfies LogLevel[];

/** The levels as Lambda spells them in its own lines, so that one filter finds both. */
const names = { info: "INFO", warn: "WARN", error: "ERROR" } as const satisfies Record<LogLevel, string>;

/** The environment variable with the lowest level that a function logs. Default: `info`. */
export const logLevelVariable = "LOG_LEVEL";

/** The lowest level that this stage's functions log. Read only once, so that skipped lines cost nothing. */
export const logLevel = process.env[logLevelVariable] ?? "info";
const lowest = levels.indexOf(logLevel);

/** The function and its version. Errors include them, so that a new version's errors can be counted separately. */
const functionVersion = {
  function_name: process.env.AWS_LAMBDA_FUNCTION_NAME,
  function_version: process.env.AWS_LAMBDA_FUNCTION_VERSION,
};

/**
 * Writes one line of JSON to the function's log, unless its level is below the stage's level.
 *
 * Lambda treats a line as `INFO` unless it has both a valid level and an RFC 3339 timestamp.
 */
export const log = (level: LogLevel, fields: Record<string, unknown>): void => {
  if (levels.indexOf(level) >= lowest) write(level, level === "error" ? { ...fields, ...functionVersion } : fields);
};

/** Writes a line regardless of the stage's log level, because it may be the only record of who did what. */
export const audit = (fields: Record<string, unknown>): void => write("info", fields);

let changeValue: ((name: string, value: unknown) => unknown) | undefined;

/** Applies a function that hides secrets to all strings that are logged from now on. */
export const concealInLog = (conceal: (text: string) => string): void => {
  changeValue = (_, value) => (typeof value === "string" ? conceal(value) : value);
};

const write = (level: LogLevel, fields: Record<string, unknown>): void => {
  const line = { timestamp: new Date().toISOString(), level: names[level], ...fields };
  process.stdout.write(`${JSON.stringify(line, changeValue)}\n`);
};

/**
 * Returns the stack of an underlying error, for a log line, and the reason if a connection failed, because `fetch` only says that it
 * failed. `node:util` is loaded only for values that are not errors.
 */
export const describeCause = (cause: unknown): string => {
  if (!(cause instanceof Error) || cause.stack === undefined)
    return process.getBuiltinModule("node:util").inspect(cause);
  const { stack, cause: reason } = cause;
  return reason instanceof Error && "code" in reason ? `${stack}\nCaused by ${reason.code}: ${reason.message}` : stack;
};
