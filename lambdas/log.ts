export type LogLevel = "info" | "warn" | "error";

const levels: readonly string[] = ["info", "warn", "error"] satisfies LogLevel[];

/** The name of the environment variable that tells a function from which level on it logs: `info` without it. */
export const logLevelVariable = "LOG_LEVEL";

/** The level from which on the functions of this stage log. Read once: what is left out must cost nothing. */
export const logLevel = process.env[logLevelVariable] ?? "info";
const lowest = levels.indexOf(logLevel);

/** Writes one line of JSON to the function's log, unless the level is below the stage's. */
export const log = (level: LogLevel, fields: Record<string, unknown>): void => {
  if (levels.indexOf(level) < lowest) return;
  process.stdout.write(`${JSON.stringify({ level, ...fields })}\n`);
};

/** The stack of what went wrong underneath, for a log line alone. `node:util` is loaded only for what is no error. */
export const describeCause = (cause: unknown): string =>
  (cause instanceof Error ? cause.stack : undefined) ?? process.getBuiltinModule("node:util").inspect(cause);
