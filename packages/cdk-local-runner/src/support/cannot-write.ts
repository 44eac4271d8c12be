import { LocalError } from "./local-error.ts";

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
