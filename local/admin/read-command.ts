import type { Action, Actions } from "../../lambdas/declaration/action.ts";
import { CommandError } from "./command.ts";
import { type Field, fieldsOf, type Schema, splitNull } from "./field-schema.ts";
import { quote } from "./printable.ts";

/** What the user asked for: an action, or help with all actions or with one. */
export type Command = { event: Record<string, unknown> } | { help: string | undefined };

const helpWords = ["help", "--help", "-h"];

/**
 * Parses `ACTION FIELD=VALUE …`, `help` and `help ACTION`. The admin function decides whether a value is allowed.
 *
 * `user` is the invoker, unless the field `invoked_by` names someone else.
 *
 * @throws {CommandError} for anything that cannot be sent as it was typed.
 */
export const readCommand = (words: readonly string[], actions: Actions, user?: string): Command => {
  const others = words.filter((word) => !helpWords.includes(word));
  const [name, ...fields] = others;
  if (others.length < words.length) return { help: name === undefined ? undefined : requireAction(name, actions) };
  if (name === undefined) throw new CommandError("wrongUsage", "Which action?");
  const action = requireAction(name, actions);
  const invokedBy = user === undefined ? {} : { invoked_by: user };
  return { event: { action, ...invokedBy, ...readFields(fields, action, actions[action]) } };
};

const requireAction = (name: string, actions: Actions): string => {
  const names = Object.keys(actions).toSorted();
  if (names.includes(name)) return name;
  const known = `The actions are ${names.join(", ")}, and help explains them.`;
  throw new CommandError("wrongUsage", `There is no action ${quote(name)}. ${known}`);
};

const readFields = (words: string[], name: string, action: Action | undefined): Record<string, unknown> => {
  const known = action === undefined ? [] : fieldsOf(action, undefined);
  const values = new Map<string, unknown>();
  for (const word of words) {
    const { field, text } = splitWord(word);
    const { schema } = known.find((one) => one.name === field) ?? refuseField(field, name, known);
    if (values.has(field)) {
      throw new CommandError("wrongUsage", `The field ${field} is given twice. Give it once.`);
    }
    values.set(field, parseValue(text, schema));
  }
  return Object.fromEntries(values);
};

const splitWord = (word: string): { field: string; text: string } => {
  const end = word.indexOf("=");
  if (end > 0) return { field: word.slice(0, end), text: word.slice(end + 1) };
  throw new CommandError(
    "wrongUsage",
    `${quote(word)} is not a field. Write FIELD=VALUE, such as comment='billing sync', with quotes around a value that has spaces.`,
  );
};

const refuseField = (field: string, name: string, known: Field[]): never => {
  const names = known.map((one) => one.name).join(", ");
  throw new CommandError("wrongUsage", `The action ${name} has no field ${quote(field)}. Its fields: ${names}.`);
};

/** Parses a typed value. Only fields that can be null or a number are converted. All other values are sent as text. */
const parseValue = (text: string, field: Schema): unknown => {
  const { schema, isNullable } = splitNull(field);
  if (isNullable && text === "null") return null;
  const isNumber = schema.type === "integer" || schema.type === "number";
  return isNumber && /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
};
