import { InvalidRequest, UnsupportedRequest } from "./refusals.ts";

// Documented limits of DynamoDB.
const maximumBytes = 4_096;
const maximumOperators = 300;

const token = /\s*(?:(<>|<=|>=|[=<>(),]|[#:]?\w+)|(\S))/gy;
const operator = /^([=<>]+|and|or|not|between|in)$/i;

/** Reads an expression token by token: operators, brackets, and words such as `SET`, `name`, `#name` and `:value`. */
export interface Tokens {
  /** The next token, which stays the next one. */
  peek: (distance?: number) => string | undefined;
  next: () => string;
  /** Takes the next token if it is this one. Keywords are compared without regard to case. */
  accept: (expected: string) => boolean;
  expect: (expected: string) => void;
  /** Throws that the expression is not in the supported subset. */
  refuse: (reason: string) => never;
}

/**
 * @throws {InvalidRequest} if the expression is longer than DynamoDB allows
 * @throws {UnsupportedRequest} if it contains anything but these tokens, such as a nested path or arithmetic
 */
export const tokensOf = (expression: string): Tokens => {
  const refuse = (reason: string): never => {
    throw new UnsupportedRequest(`"${expression}" (${reason})`);
  };
  const bytes = Buffer.byteLength(expression);
  if (bytes > maximumBytes) {
    throw new InvalidRequest(`Expression size has exceeded the maximum allowed size; expression size: ${bytes}`);
  }
  const tokens: string[] = [];
  for (const [, known, unknown] of expression.matchAll(token)) {
    if (unknown !== undefined) refuse(reasonOf(unknown));
    if (known !== undefined) tokens.push(known);
  }
  const operators = tokens.filter((text) => operator.test(text)).length;
  if (operators > maximumOperators) {
    throw new InvalidRequest(`The expression contains too many operators; operator count: ${operators}`);
  }

  let position = 0;
  const accept = (expected: string): boolean => {
    if (tokens[position]?.toUpperCase() !== expected) return false;
    position += 1;
    return true;
  };
  return {
    peek: (distance = 0) => tokens[position + distance],
    next() {
      position += 1;
      return tokens[position - 1] ?? refuse("it ends early");
    },
    accept,
    expect(expected) {
      if (!accept(expected)) refuse(`${expected} is missing`);
    },
    refuse,
  };
};

const reasonOf = (character: string): string => {
  if (character === "." || character === "[") return "a path into a map or a list";
  return character === "+" || character === "-" ? "arithmetic" : `the character ${character}`;
};
