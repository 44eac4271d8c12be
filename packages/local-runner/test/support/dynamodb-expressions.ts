import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { Action, Condition } from "../../src/dynamodb-model.ts";

/** Writes conditions and updates as expressions, and collects the placeholders that they need. */
export const expressionWriter = () => {
  const names: Record<string, string> = {};
  const values: Record<string, AttributeValue> = {};

  /** Every second time as a placeholder. */
  let uses = 0;
  const nameOf = (name: string): string => {
    uses += 1;
    if (uses % 2 === 0) return name;
    names[`#${name}`] = name;
    return `#${name}`;
  };
  const placeholderFor = (value: AttributeValue): string => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = value;
    return placeholder;
  };
  const keyword = (word: string): string => (uses % 3 === 0 ? word.toLowerCase() : word);

  const condition = (of: Condition): string => {
    switch (of.kind) {
      case "and":
        return `${nested(of.left, "or")} ${keyword("AND")} ${nested(of.right, "or")}`;
      case "or":
        return `${condition(of.left)} ${keyword("OR")} ${condition(of.right)}`;
      case "not":
        return `${keyword("NOT")} ${nested(of.inner, "and", "or", "not")}`;
      case "exists":
        return `attribute_exists(${nameOf(of.name)})`;
      case "not exists":
        return `attribute_not_exists (${nameOf(of.name)})`;
      case "contains":
        return `contains(${nameOf(of.name)}, ${placeholderFor(of.value)})`;
      case "begins with":
        return `begins_with(${nameOf(of.name)},${placeholderFor(of.value)})`;
      case "compare": {
        const operands = [nameOf(of.name), placeholderFor(of.value)];
        return (of.valueFirst ? operands.toReversed() : operands).join(uses % 2 ? of.comparator : ` ${of.comparator} `);
      }
      case "size":
        return `size(${nameOf(of.name)}) ${of.comparator} ${placeholderFor(of.value)}`;
      case "between":
        return `${nameOf(of.name)} ${keyword("BETWEEN")} ${placeholderFor(of.lower)} ${keyword("AND")} ${placeholderFor(of.upper)}`;
      case "in":
        return `${nameOf(of.name)} ${keyword("IN")} (${of.values.map(placeholderFor).join(", ")})`;
    }
  };
  const nested = (of: Condition, ...inParentheses: Condition["kind"][]): string =>
    inParentheses.includes(of.kind) ? `(${condition(of)})` : condition(of);

  const clauses = { SET: ["set", "copy", "default"], REMOVE: ["remove"], ADD: ["add"], DELETE: ["delete"] };

  const update = (actions: Record<string, Action>): string =>
    Object.entries(clauses)
      .map(([clause, kinds]) => {
        const parts = Object.entries(actions).filter(([, { kind }]) => kinds.includes(kind));
        return parts.length === 0 ? "" : `${keyword(clause)} ${parts.map(([name, one]) => part(name, one)).join(", ")}`;
      })
      .join(" ");

  const part = (name: string, action: Action): string => {
    const attribute = nameOf(name);
    switch (action.kind) {
      case "set":
        return `${attribute} = ${placeholderFor(action.value)}`;
      case "copy":
        return `${attribute} = ${nameOf(action.source)}`;
      case "default":
        return `${attribute}=if_not_exists(${nameOf(action.source)}, ${placeholderFor(action.value)})`;
      case "remove":
        return attribute;
      default:
        return `${attribute} ${placeholderFor(action.value)}`;
    }
  };

  /** The parameters of a request for the expressions written so far. */
  const placeholders = () => ({
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  });

  return { condition, update, placeholders };
};
