import type { Action, Actions } from "../../lambdas/declaration/action.ts";
import { command, endings } from "./command.ts";
import { describeResult, describeType, type Field, fieldsOf, jsonSchemaOf } from "./field-schema.ts";
import { shellWord } from "./printable.ts";

export const usage = `Usage: ${command} ACTION [FIELD=VALUE …]
       ${command} help [ACTION]
`;

/** Describes the command, all its actions and its exit codes. */
export const overview = (actions: Actions): string => {
  const rows = Object.entries(actions)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, { summary }]) => [name, /^.*?\.(?= |$)/.exec(summary)?.[0] ?? summary]);
  return `${usage}
Runs an action of the local service, which npm start has started. The result is JSON on stdout, and
everything else goes to stderr.

Actions:
${columns(rows)}

Values:
  Everything after the first = is the value, without any escaping: comment=a=b is the comment "a=b".
  Put quotes around a value with spaces or other characters that your shell treats specially.
  A field that takes a number is sent as a number, and null as null where a field can be null.
  Each field can be given once.
  Every action takes invoked_by, the name that is recorded with a change: your user name by default.

Environment variables:
  PORT  The port that the service was started with. Default: 3000.

Exit codes:
${columns(Object.values(endings).map(({ exitCode, meaning }) => [String(exitCode), meaning]))}
`;
};

/** Describes one action: its fields, its result and an example. */
export const actionHelp = (name: string, action: Action, user?: string): string => {
  const fields = fieldsOf(action, user);
  const { response } = action.contract;
  const results = response ? describeResult(jsonSchemaOf(response)) : [];
  const sections = [
    `Usage: ${[command, name, ...fields.map(placeholder)].join(" ")}`,
    wrap(action.summary, lineWidth).join("\n"),
    `Fields:\n${columns(fields.map(describeField))}`,
    `Returns:\n${results.length === 0 ? "  null" : columns(results.map(({ name, depth, type }) => ["  ".repeat(depth) + name, type]))}`,
    `Example:\n  ${exampleLine(name, action)}`,
  ];
  return `${sections.join("\n\n")}\n`;
};

const placeholder = ({ name, isRequired }: Field): string => (isRequired ? `${name}=…` : `[${name}=…]`);

const describeField = ({ name, isRequired, schema }: Field): string[] => {
  const { default: value, description } = schema;
  const standard = value === undefined ? "" : `; ${JSON.stringify(value)} by default`;
  const words = `${describeType(schema)}${standard}`;
  return [name, isRequired ? "required" : "optional", description === undefined ? words : `${words}. ${description}`];
};

/** Returns a command that runs the example of an action. */
export const exampleLine = (name: string, { example }: Pick<Action, "example">): string => {
  const fields = Object.entries(Object(example)).map(([field, value]) => `${field}=${shellWord(String(value))}`);
  return [command, name, ...fields].join(" ");
};

const lineWidth = 100;

/** Aligns rows of cells in columns. The last cell of a row may span several lines. */
const columns = (rows: readonly (readonly string[])[]): string => {
  const others = rows.map((row) => row.slice(0, -1));
  const widths = (others[0] ?? []).map((_, column) => Math.max(...others.map((row) => row[column]?.length ?? 0)));
  const indentation = 2 + widths.reduce((sum, width) => sum + width + 2, 0);
  return rows
    .map((row, index) => {
      const first = (others[index] ?? []).map((cell, column) => `${cell.padEnd(widths[column] ?? 0)}  `).join("");
      return `  ${first}${wrap(row.at(-1) ?? "", lineWidth - indentation).join(`\n${" ".repeat(indentation)}`)}`;
    })
    .join("\n");
};

/** Breaks text at spaces into lines of at most `width` characters. A longer word gets its own line. */
const wrap = (text: string, width: number): string[] => {
  const [first = "", ...others] = text.split(" ");
  const lines = [first];
  for (const word of others) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
};
