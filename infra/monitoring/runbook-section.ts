/** The sections of docs/runbook.md that alarms refer to. */
export type RunbookSection =
  | "Server errors"
  | "Slow answers"
  | "Too many requests"
  | "A token has leaked"
  | "The database fails or throttles"
  | "A function fails"
  | "A function is throttled"
  | "The use of tokens is not counted"
  | "Notices are not sent";
