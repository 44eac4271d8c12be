import { invalid, UnsupportedRequest } from "./errors.ts";
import { reservedWords } from "./reserved-words.ts";

// DynamoDB's documented limits.
const maximumBytes = 4_096;
const maximumOperators = 300;

const token = /\s*(?:(<>|<=|>=|[=<>(),]|[#:]?\w+)|(\S))/gy;
const operator = /^([=<>]+|and|or|not|between|in)$/i;
const meanings: Record<string, string> = {
  ".": "a path into a map or a list",
  "[": "a path into a map or a list",
  "+": "arithmetic",
  "-": "arithmetic",
};

/** Reads an expression token by token. Tokens are operators, brackets, and words such as `SET`, `name`, `#name` and `:value`. */
export interface Tokens {
  /** Returns the next token without consuming it. */
  peek: (distance?: number) => string | undefined;
  next: () => string;
  /** Consumes the next token if it matches. Keywords are not case-sensitive. */
  accept: (expected: string) => boolean;
  expect: (expected: string) => void;
  /** Consumes the name of an attribute or its placeholder. */
  name: () => string;
  /** The placeholders that the expression uses. */
  used: Set<string>;
  /** The attributes read so far, as `name` or `#name`. */
  attributes: Set<string>;
  /** Throws an error that the expression is not in the supported subset. */
  refuse: (reason: string) => never;
}

/** @throws {UnsupportedRequest} if it contains anything but these tokens, such as a nested path or arithmetic */
export const tokensOf = (expression: string): Tokens => {
  const refuse = (reason: string): never => {
    throw new UnsupportedRequest(`"${expression}" (${reason})`);
  };
  const bytes = Buffer.byteLength(expression);
  if (bytes > maximumBytes) {
    throw invalid(`Expression size has exceeded the maximum allowed size; expression size: ${bytes}`);
  }
  if (expression.trim() === "") throw invalid("The expression can not be empty;");
  const tokens: string[] = [];
  for (const [, known, unknown] of expression.matchAll(token)) {
    if (unknown !== undefined) refuse(meanings[unknown] ?? `the character ${unknown}`);
    if (known !== undefined) tokens.push(known);
  }
  const operators = tokens.filter((text) => operator.test(text)).length;
  if (operators > maximumOperators) {
    throw invalid(`The expression contains too many operators; operator count: ${operators}`);
  }
  // Parsers recurse for each parenthesis, so thousands would overflow the stack.
  if (tokens.filter((text) => text === "(").length > maximumOperators) refuse("too many parentheses");

  const used = new Set(tokens.filter((text) => /^[#:]/.test(text)));
  const attributes = new Set<string>();
  let position = 0;
  const next = (): string => {
    position += 1;
    return tokens[position - 1] ?? refuse("it ends early");
  };
  const accept = (expected: string): boolean => {
    if (tokens[position]?.toUpperCase() !== expected) return false;
    position += 1;
    return true;
  };
  return {
    peek: (distance = 0) => tokens[position + distance],
    next,
    accept,
    expect(expected) {
      if (!accept(expected)) refuse(`${expected} is missing`);
    },
    name() {
      const name = next();
      if (name.startsWith(":")) refuse("a value in the place of an attribute");
      if (!/^(#\w+|[a-z]\w*)$/i.test(name)) refuse(`${name} in the place of a name`);
      if (reservedWords.has(name.toUpperCase())) {
        throw invalid(`Attribute name is a reserved keyword; reserved keyword: ${name}`);
      }
      attributes.add(name);
      return name;
    },
    used,
    attributes,
    refuse,
  };
};
