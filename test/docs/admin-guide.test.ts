import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as actions from "../../lambdas/admin/actions.ts";
import { endings } from "../../local/admin/command.ts";

const readGuide = () => readFile(new URL("../../docs/admin.md", import.meta.url), "utf8");

test("the guide for admins lists exactly the actions that exist", async () => {
  const guide = await readGuide();
  const [, rows = ""] = guide.split(/^\| `action` .*\n\|[-|]+\n/m);
  const listed = rows
    .split("\n\n")[0]
    ?.split("\n")
    .flatMap((row) => row.split("|")[1]?.match(/\w+/g) ?? []);

  expect(listed?.toSorted()).toEqual(Object.keys(actions).toSorted());
});

test("the guide for admins lists exactly the exit codes of the admin command", async () => {
  const [, rows = ""] = (await readGuide()).split("| Exit code | |\n|---|---|\n");
  const listed = [...(rows.split("\n\n")[0] ?? "").matchAll(/^\| (\d+) \| \w/gm)].map(([, code]) => Number(code));

  expect(listed).toEqual(Object.values(endings).map(({ exitCode }) => exitCode));
});
