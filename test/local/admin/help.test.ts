import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import * as actions from "../../../lambdas/admin/actions.ts";
import type { Actions } from "../../../lambdas/declaration/action.ts";
import { command, endings } from "../../../local/admin/command.ts";
import { actionHelp, exampleLine, overview } from "../../../local/admin/help.ts";
import { readCommand } from "../../../local/admin/read-command.ts";

const all: Actions = actions;

/** Returns the arguments that a shell passes to the command. */
const wordsOf = (line: string): string[] => {
  expect(line.startsWith(`${command} `)).toBe(true);
  const script = `printf '%s\\0' ${line.slice(command.length)}`;
  return spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout.split("\0").slice(0, -1);
};

test("the overview explains every action and every exit code", () => {
  const text = overview(actions);

  for (const name of Object.keys(actions)) expect(text).toMatch(new RegExp(`^  ${name} +[A-Z]`, "m"));
  for (const { exitCode, meaning } of Object.values(endings)) expect(text).toContain(`  ${exitCode}  ${meaning}\n`);
});

describe.each(Object.entries(all))("help with %s", (name, action) => {
  const text = actionHelp(name, action);

  test("lists every field and the result, and fits in a terminal", () => {
    const { properties = {}, required = [] } = z.toJSONSchema(action.input, { io: "input" });
    for (const field of Object.keys(properties)) {
      const need = required.includes(field) ? "required" : "optional";
      expect(text).toMatch(new RegExp(`^  ${field} +${need}  \\S`, "m"));
    }
    expect(text).toContain(action.summary.split(" ")[0]);
    expect(text).toMatch(/^Returns:\n {2}\w/m);
    expect(
      Math.max(...text.split("\n").map((line) => (/^(Usage:| {2}node) /.test(line) ? 0 : line.length))),
    ).toBeLessThanOrEqual(100);
  });

  test("has an example that parses to the declared example", () => {
    const event = { action: name, ...Object(action.example) };

    expect(text).toContain(exampleLine(name, action));
    expect(readCommand(wordsOf(exampleLine(name, action)), actions)).toEqual({ event });
  });
});

test.each([
  ["issue", actions.issue, /^ {2}comment +optional {2}text, up to 255 characters; "" by default/m],
  [
    "issue",
    actions.issue,
    /^ {2}expires_at +optional {2}time, such as 2027-01-01T00:00:00Z, or null; null by default/m,
  ],
  ["issue", actions.issue, /^ {2}rate_limit +optional {2}whole number, 1 to 100000, or null; null by default/m],
  ["leaks", actions.leaks, /^ {2}invoked_by +optional {2}text, 1 to 100 characters; "alice" by default\. Who does it/m],
  ["list", actions.list, /^Returns:\n {2}tokens +list\n {4}token_id +text\n(.*\n)* {4}state +invited, awaiting_/m],
  ["delete_key", actions.delete_key, /^Returns:\n {2}null\n/m],
])("the help with %s shows types, limits, defaults and the result", (name, action, line) => {
  expect(actionHelp(name, action, "alice")).toMatch(line);
});
