import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Action, Comparator, Condition } from "cdk-local-runner/dynamodb-model";

/** The values of an expression's placeholders. */
export interface Placeholders {
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Record<string, AttributeValue>;
}

/** Reads condition and update expressions, as far as this service writes them. Anything else is an error. */
export const parseCondition = (text: string, placeholders: Placeholders): Condition => {
  const reader = createReader(text, placeholders);
  const condition = readOr(reader);
  reader.expectEnd();
  return condition;
};

export const parseUpdate = (text: string, placeholders: Placeholders): Record<string, Action> => {
  const reader = createReader(text, placeholders);
  const actions: Record<string, Action> = {};
  for (let clause = reader.take(); clause !== undefined; clause = reader.take()) {
    do {
      const name = reader.name();
      if (actions[name]) throw new ExpressionError(`Two actions change ${name}.`);
      actions[name] = readAction(clause.toUpperCase(), reader);
    } while (reader.takeIf(","));
  }
  return actions;
};

/** An expression that the simulated database does not understand. */
export class ExpressionError extends Error {
  override name = "ExpressionError";
}

type Reader = ReturnType<typeof createReader>;

const tokensOf = (text: string): string[] => text.match(/[:#]?\w+|<>|<=|>=|\S/g) ?? [];

const createReader = (text: string, placeholders: Placeholders) => {
  const { ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} } = placeholders;
  const tokens = tokensOf(text);
  let position = 0;
  const fail = (): never => {
    throw new ExpressionError(`The simulated database cannot read "${text}" at "${tokens[position]}".`);
  };
  const reader = {
    take: (): string | undefined => tokens[position++],
    peek: (): string => tokens[position] ?? "",
    takeIf(token: string): boolean {
      const isNext = reader.peek().toUpperCase() === token;
      if (isNext) position += 1;
      return isNext;
    },
    expect(token: string): void {
      if (!reader.takeIf(token)) fail();
    },
    expectEnd(): void {
      if (position < tokens.length) fail();
    },
    name(): string {
      const token = reader.take() ?? "";
      const name = token.startsWith("#") ? names[token] : token;
      return name !== undefined && /^\w+$/.test(name) ? name : fail();
    },
    isValue: (): boolean => reader.peek().startsWith(":"),
    value: (): AttributeValue => values[reader.take() ?? ""] ?? fail(),
    fail,
  };
  return reader;
};

const readOr = (reader: Reader): Condition => {
  let left = readAnd(reader);
  while (reader.takeIf("OR")) left = { kind: "or", left, right: readAnd(reader) };
  return left;
};

const readAnd = (reader: Reader): Condition => {
  let left = readNot(reader);
  while (reader.takeIf("AND")) left = { kind: "and", left, right: readNot(reader) };
  return left;
};

const readNot = (reader: Reader): Condition => {
  if (reader.takeIf("NOT")) return { kind: "not", inner: readNot(reader) };
  if (reader.takeIf("(")) {
    const inner = readOr(reader);
    reader.expect(")");
    return inner;
  }
  return readPrimary(reader);
};

const comparators: readonly string[] = ["=", "<>", "<", "<=", ">", ">="] satisfies Comparator[];
const isComparator = (text: string): text is Comparator => comparators.includes(text);

const readComparator = (reader: Reader): Comparator => {
  const token = reader.take() ?? "";
  return isComparator(token) ? token : reader.fail();
};

const readPrimary = (reader: Reader): Condition => {
  if (reader.isValue()) {
    const value = reader.value();
    const comparator = readComparator(reader);
    return { kind: "compare", comparator, name: reader.name(), value, valueFirst: true };
  }
  const word = reader.peek().toLowerCase();
  if (word === "attribute_exists" || word === "attribute_not_exists") {
    const name = readCall(reader, () => reader.name());
    return { kind: word === "attribute_exists" ? "exists" : "not exists", name };
  }
  if (word === "contains" || word === "begins_with") {
    const kind = word === "contains" ? "contains" : "begins with";
    return readCall(reader, () => {
      const name = reader.name();
      reader.expect(",");
      return { kind, name, value: reader.value() };
    });
  }
  if (word === "size") {
    const name = readCall(reader, () => reader.name());
    const comparator = readComparator(reader);
    return comparator === "<>" ? reader.fail() : { kind: "size", comparator, name, value: reader.value() };
  }
  const name = reader.name();
  if (reader.takeIf("BETWEEN")) {
    const lower = reader.value();
    reader.expect("AND");
    return { kind: "between", name, lower, upper: reader.value() };
  }
  const comparator = readComparator(reader);
  return { kind: "compare", comparator, name, value: reader.value(), valueFirst: false };
};

const readCall = <Result>(reader: Reader, readArguments: () => Result): Result => {
  reader.take();
  reader.expect("(");
  const result = readArguments();
  reader.expect(")");
  return result;
};

const readAction = (clause: string, reader: Reader): Action => {
  switch (clause) {
    case "REMOVE":
      return { kind: "remove" };
    case "ADD":
      return { kind: "add", value: reader.value() };
    case "DELETE":
      return { kind: "delete", value: reader.value() };
    case "SET":
      reader.expect("=");
      if (reader.isValue()) return { kind: "set", value: reader.value() };
      if (reader.peek().toLowerCase() !== "if_not_exists") return { kind: "copy", source: reader.name() };
      return readCall(reader, () => {
        const source = reader.name();
        reader.expect(",");
        return { kind: "default", source, value: reader.value() };
      });
    default:
      return reader.fail();
  }
};
