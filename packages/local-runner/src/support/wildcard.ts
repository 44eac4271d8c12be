const compiled = new Map<string, RegExp>();

/**
 * Matches a text against an IAM pattern, in which `*` stands for any characters and `?` for exactly one.
 *
 * @example matchesPattern("arn:aws:dynamodb:*:*:table/Keys", "arn:aws:dynamodb:us-east-1:000000000000:table/Keys") // true
 */
export const matchesPattern = (pattern: string, text: string): boolean => {
  let expression = compiled.get(pattern);
  if (expression === undefined) {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".");
    expression = new RegExp(`^${source}$`, "s");
    compiled.set(pattern, expression);
  }
  return expression.test(text);
};
