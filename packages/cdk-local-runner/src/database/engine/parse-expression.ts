import { invalid } from "./errors.ts";
import { type Path, type Tokens, tokensOf } from "./tokens.ts";

/** An attribute or a part of one, its size, or a value from the request, whose name is `:value`. */
export interface Operand extends Path {
  kind: "attribute" | "size" | "value";
}

export type Condition =
  | { kind: "and" | "or"; left: Condition; right: Condition }
  | { kind: "not"; inner: Condition }
  /** A comparison or a function: `operator` is `<=`, `BETWEEN`, `IN`, or the name of a function. */
  | { kind: "test"; operator: string; operands: Operand[] };

/** What an update assigns. */
export type Value =
  | Operand
  | { kind: "if_not_exists"; left: Operand; right: Value }
  | { kind: "list_append" | "+" | "-"; left: Value; right: Value };

/** What an update does at a path. */
export type Action = Path &
  ({ kind: "set"; value: Value } | { kind: "add" | "delete"; value: string } | { kind: "remove" });

/** A parsed expression of the supported subset, with the placeholders and attributes that it uses. */
export interface Parsed<Expression> {
  expression: Expression;
  used: ReadonlySet<string>;
  /** `name` or `#name` */
  attributes: ReadonlySet<string>;
}

// An application repeats the same few expressions.
const rememberedExpressions = 500;

/** Creates a parser of whole expressions. It parses each expression only once. */
const parserFor = <Expression>(read: (tokens: Tokens) => Expression): ((text: string) => Parsed<Expression>) => {
  const known = new Map<string, Parsed<Expression>>();
  return (text) => {
    const found = known.get(text);
    if (found) return found;
    const tokens = tokensOf(text);
    const expression = read(tokens);
    if (tokens.peek() !== undefined) tokens.refuse(`${tokens.peek()} is not expected`);
    if (known.size >= rememberedExpressions) known.clear();
    const parsed = { expression, used: tokens.used, attributes: tokens.attributes };
    known.set(text, parsed);
    return parsed;
  };
};

const comparators = new Set(["=", "<>", "<", "<=", ">", ">="]);
/** The kinds of arguments that each function takes. */
const functions = new Map<string, Operand["kind"][]>([
  ["attribute_exists", ["attribute"]],
  ["attribute_not_exists", ["attribute"]],
  ["attribute_type", ["attribute", "value"]],
  ["begins_with", ["attribute", "value"]],
  ["contains", ["attribute", "value"]],
]);

const readAlternatives = (tokens: Tokens): Condition => {
  let left = readConjunction(tokens);
  while (tokens.accept("OR")) left = { kind: "or", left, right: readConjunction(tokens) };
  return left;
};

const readConjunction = (tokens: Tokens): Condition => {
  let left = readNegation(tokens);
  while (tokens.accept("AND")) left = { kind: "and", left, right: readNegation(tokens) };
  return left;
};

/** Conditions that were in parentheses. */
const grouped = new WeakSet<Condition>();

const readNegation = (tokens: Tokens): Condition => {
  if (tokens.accept("NOT")) return { kind: "not", inner: readNegation(tokens) };
  if (!tokens.accept("(")) return readTest(tokens);
  const condition = readAlternatives(tokens);
  tokens.expect(")");
  if (grouped.has(condition)) throw invalid("The expression has redundant parentheses;");
  grouped.add(condition);
  return condition;
};

const readTest = (tokens: Tokens): Condition => {
  const parameters = tokens.peek(1) === "(" ? functions.get(tokens.peek() ?? "") : undefined;
  if (parameters) return readCall(tokens, parameters);
  const first = readOperand(tokens);
  const operator = tokens.next().toUpperCase();
  if (comparators.has(operator)) {
    const second = readOperand(tokens);
    if (first.kind === "value" && second.kind === "value") tokens.refuse("a comparison of two values");
    return { kind: "test", operator, operands: [first, second] };
  }
  if (first.kind === "value") tokens.refuse("a value instead of an attribute");
  if (operator === "BETWEEN") {
    const lower = readValue(tokens);
    tokens.expect("AND");
    return { kind: "test", operator, operands: [first, lower, readValue(tokens)] };
  }
  if (operator !== "IN") tokens.refuse(`the operator ${operator}`);
  tokens.expect("(");
  const operands = [first];
  do operands.push(readValue(tokens));
  while (tokens.accept(","));
  tokens.expect(")");
  return { kind: "test", operator, operands };
};

const readCall = (tokens: Tokens, parameters: Operand["kind"][]): Condition => {
  const operator = tokens.next();
  tokens.expect("(");
  const operands = parameters.map((kind, index) => {
    if (index > 0) tokens.expect(",");
    const operand = readOperand(tokens);
    if (operand.kind !== kind) tokens.refuse(`${operator} with other operands`);
    return operand;
  });
  tokens.expect(")");
  return { kind: "test", operator, operands };
};

const readValue = (tokens: Tokens): Operand => {
  const operand = readOperand(tokens);
  if (operand.kind !== "value") tokens.refuse("an attribute instead of a value");
  return operand;
};

const readOperand = (tokens: Tokens): Operand => {
  if (tokens.peek()?.startsWith(":")) return { kind: "value", name: tokens.next(), steps: [] };
  if (tokens.peek(1) !== "(") return { kind: "attribute", ...tokens.path() };
  const called = tokens.next();
  if (called !== "size") tokens.refuse(`the function ${called}`);
  tokens.expect("(");
  const path = tokens.path();
  tokens.expect(")");
  return { kind: "size", ...path };
};

const readSet = (tokens: Tokens): Action => {
  const path = tokens.path();
  tokens.expect("=");
  const left = readTerm(tokens, ["if_not_exists", "list_append"]);
  const kind = (["+", "-"] as const).find(tokens.accept);
  if (kind === undefined) return { kind: "set", ...path, value: left };
  return { kind: "set", ...path, value: { kind, left, right: readTerm(tokens, ["if_not_exists"]) } };
};

/** Reads an operand or a call of one of these functions. */
const readTerm = (tokens: Tokens, functions: string[]): Value => {
  if (tokens.peek(1) !== "(") return readOperand(tokens);
  const called = tokens.next();
  if (!functions.includes(called)) tokens.refuse(`the function ${called}`);
  const isDefault = called === "if_not_exists";
  tokens.expect("(");
  const left = readTerm(tokens, isDefault ? [] : ["if_not_exists"]);
  tokens.expect(",");
  const right = readTerm(tokens, isDefault ? [] : ["if_not_exists"]);
  tokens.expect(")");
  if (!isDefault) return { kind: "list_append", left, right };
  return left.kind === "attribute" ? { kind: called, left, right } : tokens.refuse("a value instead of an attribute");
};

const clauses: Record<string, (tokens: Tokens) => Action> = {
  SET: readSet,
  REMOVE: (tokens) => ({ kind: "remove", ...tokens.path() }),
  ADD: (tokens) => ({ kind: "add", name: tokens.name(), steps: [], value: readValue(tokens).name }),
  DELETE: (tokens) => ({ kind: "delete", name: tokens.name(), steps: [], value: readValue(tokens).name }),
};

const readClauses = (tokens: Tokens): Action[] => {
  const actions: Action[] = [];
  const seen = new Set<string>();
  do {
    const clause = tokens.next().toUpperCase();
    const readAction = Object.hasOwn(clauses, clause) ? clauses[clause] : undefined;
    if (readAction === undefined) return tokens.refuse(`the clause ${clause}`);
    if (seen.has(clause)) throw invalid(`The "${clause}" section can only be used once in an update expression;`);
    seen.add(clause);
    do actions.push(readAction(tokens));
    while (tokens.accept(","));
  } while (tokens.peek() !== undefined);
  return actions;
};

const readNames = (tokens: Tokens): string[] => {
  const names: string[] = [];
  do names.push(tokens.name());
  while (tokens.accept(","));
  return names;
};

/** Parses a condition, a filter or a key condition. */
export const parseCondition = parserFor<Condition>(readAlternatives);
export const parseUpdate = parserFor<Action[]>(readClauses);
export const parseProjection = parserFor<string[]>(readNames);

/** Returns all comparisons and functions of a condition. */
export const testsOf = (condition: Condition): Extract<Condition, { kind: "test" }>[] => {
  if (condition.kind === "test") return [condition];
  return condition.kind === "not" ? testsOf(condition.inner) : [condition.left, condition.right].flatMap(testsOf);
};
