import { inspect } from "node:util";

export type LogLevel = "info" | "warn" | "error";

/** Writes one line of JSON to the function's log. */
export const log = (level: LogLevel, fields: Record<string, unknown>): void => {
  process.stdout.write(`${JSON.stringify({ level, ...fields })}\n`);
};

/** The stack of what went wrong underneath, for a log line alone. */
export const describeCause = (cause: unknown): string =>
  (cause instanceof Error ? cause.stack : undefined) ?? inspect(cause);
