import { codePoints } from "../../../../lambdas/validation/code-points.ts";

const maxCharacters = 255;

/** What is wrong with a comment that is too long; empty if nothing is. */
export const commentError = (value: string): string => {
  const count = codePoints(value);
  return count > maxCharacters ? `The comment must be at most ${maxCharacters} characters; it has ${count}.` : "";
};
