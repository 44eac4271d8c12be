import type * as z from "zod/mini";

/**
 * Describes the problems of a schema whose other checks have their own messages. Functions whose schemas need no more words do not
 * contain `issue-words.ts`: see `needsWords`.
 */
export const wordIssue = (issue: z.core.$ZodRawIssue): string => {
  if (issue.code === "unrecognized_keys") return "field is not known.";
  if (issue.code !== "invalid_type") return "is not valid.";
  if (issue.input === undefined) return "field is required.";
  return `must be ${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}.`;
};
