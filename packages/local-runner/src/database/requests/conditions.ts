import { type Tokens, tokensOf } from "./tokens.ts";

/** What a condition compares: an attribute, its size, or a value of the request. */
export interface Operand {
  kind: "attribute" | "size" | "value";
  /** `name`, `#name` or `:value` */
  name: string;
}

/** A comparison or a function in a condition. */
export interface Term {
  /** `<=`, `between`, `in`, or the name of a function */
  operator: string;
  operands: Operand[];
}

export interface Condition {
  terms: Term[];
  /** Whether the condition can only hold for an item that exists. */
  needsItem: boolean;
}

const comparators = new Set(["=", "<>", "<", "<=", ">", ">="]);
const functions = new Map<string, Operand["kind"][]>([
  ["attribute_exists", ["attribute"]],
  ["attribute_not_exists", ["attribute"]],
  ["begins_with", ["attribute", "value"]],
  ["contains", ["attribute", "value"]],
]);

/**
 * Reads a condition expression of the supported subset.
 *
 * @throws {UnsupportedRequest} if it is not in the subset
 */
export const readCondition = (expression: string): Condition => {
  const tokens = tokensOf(expression);
  const condition = readAlternatives(tokens);
  if (tokens.peek() !== undefined) tokens.refuse(`${tokens.peek()} is not expected`);
  return condition;
};

const readAlternatives = (tokens: Tokens): Condition => {
  const parts = [readConjunction(tokens)];
  while (tokens.accept("OR")) parts.push(readConjunction(tokens));
  return { terms: parts.flatMap(({ terms }) => terms), needsItem: parts.every(({ needsItem }) => needsItem) };
};

const readConjunction = (tokens: Tokens): Condition => {
  const parts = [readNegation(tokens)];
  while (tokens.accept("AND")) parts.push(readNegation(tokens));
  return { terms: parts.flatMap(({ terms }) => terms), needsItem: parts.some(({ needsItem }) => needsItem) };
};

const readNegation = (tokens: Tokens): Condition => {
  if (tokens.accept("NOT")) return { terms: readNegation(tokens).terms, needsItem: false };
  if (!tokens.accept("(")) return readTerm(tokens);
  const condition = readAlternatives(tokens);
  tokens.expect(")");
  return condition;
};

const readTerm = (tokens: Tokens): Condition => {
  const name = tokens.peek() ?? "";
  const parameters = tokens.peek(1) === "(" ? functions.get(name) : undefined;
  if (parameters) {
    const operands = readCall(tokens, parameters);
    return { terms: [{ operator: name, operands }], needsItem: name !== "attribute_not_exists" };
  }
  const first = readOperand(tokens);
  const operator = tokens.next().toLowerCase();
  if (comparators.has(operator)) {
    const operands = [first, readOperand(tokens)];
    if (operands.filter(({ kind }) => kind === "value").length !== 1) {
      tokens.refuse("a comparison other than of one attribute with one value");
    }
    return { terms: [{ operator, operands }], needsItem: operator !== "<>" };
  }
  if (first.kind === "value") tokens.refuse("a value in the place of an attribute");
  if (operator === "between") {
    const lower = readValue(tokens);
    tokens.expect("AND");
    return { terms: [{ operator, operands: [first, lower, readValue(tokens)] }], needsItem: true };
  }
  if (operator !== "in") tokens.refuse(`the operator ${operator}`);
  tokens.expect("(");
  const operands = [first, readValue(tokens)];
  while (tokens.accept(",")) operands.push(readValue(tokens));
  tokens.expect(")");
  return { terms: [{ operator, operands }], needsItem: true };
};

const readCall = (tokens: Tokens, parameters: Operand["kind"][]): Operand[] => {
  const name = tokens.next();
  tokens.expect("(");
  const operands = parameters.map((kind, index) => {
    if (index > 0) tokens.expect(",");
    const operand = readOperand(tokens);
    if (operand.kind !== kind) tokens.refuse(`${name} with other operands`);
    return operand;
  });
  tokens.expect(")");
  return operands;
};

const readValue = (tokens: Tokens): Operand => {
  const operand = readOperand(tokens);
  if (operand.kind !== "value") tokens.refuse("a comparison of two attributes");
  return operand;
};

const readOperand = (tokens: Tokens): Operand => {
  const name = readName(tokens);
  if (tokens.peek() !== "(") return { kind: name.startsWith(":") ? "value" : "attribute", name };
  if (name !== "size") tokens.refuse(`the function ${name}`);
  tokens.expect("(");
  const attribute = readName(tokens);
  tokens.expect(")");
  return { kind: "size", name: attribute };
};

/** Takes a word: a name or a placeholder. */
export const readName = (tokens: Tokens): string => {
  const name = tokens.next();
  return /^([#:]\w+|[a-z]\w*)$/i.test(name) ? name : tokens.refuse(`${name} in the place of a name`);
};
