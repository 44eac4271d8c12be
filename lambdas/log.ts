/** A level as settings and code write it. */
export type LogLevel = "info" | "warn" | "error";

const levels: readonly string[] = ["info", "warn", "error"] satisfies LogLevel[];

/** The levels as Lambda writes them in its own lines, so that one filter finds both. */
const names = { info: "INFO", warn: "WARN", error: "ERROR" } as const satisfies Record<LogLevel, string>;

/** The environment variable with the lowest level that a function logs: `info` by default. */
export const logLevelVariable = "LOG_LEVEL";

/** The lowest level that the functions of this stage log. Read once, because a skipped line must cost nothing. */
export const logLevel = process.env[logLevelVariable] ?? "info";
const lowest = levels.indexOf(logLevel);

/** Which version of which function this is. Errors name it, so that those of a new version can be counted separately. */
const functionVersion = {
  function_name: process.env.AWS_LAMBDA_FUNCTION_NAME,
  function_version: process.env.AWS_LAMBDA_FUNCTION_VERSION,
};

/**
 * Writes one line of JSON to the function's log, unless its level is below the stage's.
 *
 * Lambda treats a line as `INFO` unless it has both a valid level and a timestamp as in RFC 3339.
 */
export const log = (level: LogLevel, fields: Record<string, unknown>): void => {
  if (levels.indexOf(level) >= lowest) write(level, level === "error" ? { ...fields, ...functionVersion } : fields);
};

/** Writes a line that every stage needs, whatever its level: nothing else may record who did what. */
export const audit = (fields: Record<string, unknown>): void => write("info", fields);

const write = (level: LogLevel, fields: Record<string, unknown>): void => {
  process.stdout.write(`${JSON.stringify({ timestamp: new Date().toISOString(), level: names[level], ...fields })}\n`);
};

/** The stack of an underlying problem, for a log line. `node:util` is loaded only for values that are not errors. */
export const describeCause = (cause: unknown): string =>
  (cause instanceof Error ? cause.stack : undefined) ?? process.getBuiltinModule("node:util").inspect(cause);
