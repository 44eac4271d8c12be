import { invalid, UnsupportedRequest } from "./errors.ts";
import { reservedWords } from "./reserved-words.ts";

// DynamoDB's documented limits.
const maximumBytes = 4_096;
const maximumOperators = 300;

const token = /\s*(?:(<>|<=|>=|[-=<>(),.+[\]]|[#:]?\w+)|(\S))/gy;
const operator = /^([=<>]+|and|or|not|between|in)$/i;

/** A path into an item: an attribute, as `name` or `#name`, and the steps into its maps and lists. */
export interface Path {
  name: string;
  steps: (string | number)[];
}

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
  /** Consumes a path such as `name.#other[0]`. */
  path: () => Path;
  /** The placeholders that the expression uses. */
  used: Set<string>;
  /** The attributes read so far, as `name` or `#name`. */
  attributes: Set<string>;
  /** Throws an error that the expression is not in the supported subset. */
  refuse: (reason: string) => never;
}

/** @throws {UnsupportedRequest} if it contains anything but these tokens */
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
    if (unknown !== undefined) refuse(`the character ${unknown}`);
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
  const readName = (): string => {
    const name = next();
    if (name.startsWith(":")) refuse("a value instead of an attribute");
    if (!/^(#\w+|[a-z]\w*)$/i.test(name)) refuse(`${name} instead of a name`);
    if (reservedWords.has(name.toUpperCase())) {
      throw invalid(`Attribute name is a reserved keyword; reserved keyword: ${name}`);
    }
    return name;
  };
  const readAttribute = (): string => {
    const name = readName();
    attributes.add(name);
    return name;
  };
  const expect = (expected: string): void => {
    if (!accept(expected)) refuse(`${expected} is missing`);
  };
  return {
    peek: (distance = 0) => tokens[position + distance],
    next,
    accept,
    expect,
    name: readAttribute,
    path() {
      const [name, steps]: [string, Path["steps"]] = [readAttribute(), []];
      for (;;) {
        if (accept(".")) steps.push(readName());
        else if (accept("[")) {
          const index = next();
          if (!/^\d{1,9}$/.test(index)) refuse(`${index} instead of an index`);
          steps.push(Number(index));
          expect("]");
        } else return { name, steps };
      }
    },
    used,
    attributes,
    refuse,
  };
};
