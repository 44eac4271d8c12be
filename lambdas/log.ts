export type LogLevel = "info" | "warn" | "error";

/** Writes one line of JSON to the function's log. */
export const log = (level: LogLevel, fields: Record<string, unknown>): void => {
  process.stdout.write(`${JSON.stringify({ level, ...fields })}\n`);
};

/** The stack of what went wrong underneath, for a log line alone. `node:util` is loaded only for what is no error. */
export const describeCause = (cause: unknown): string =>
  (cause instanceof Error ? cause.stack : undefined) ?? process.getBuiltinModule("node:util").inspect(cause);
