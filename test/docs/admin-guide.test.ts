import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import * as actions from "../../lambdas/admin/actions.ts";

test("the guide for admins lists exactly the actions that exist", async () => {
  const guide = await readFile(new URL("../../docs/admin.md", import.meta.url), "utf8");
  const [, rows = ""] = guide.split(/^\| `action` .*\n\|[-|]+\n/m);
  const listed = rows
    .split("\n\n")[0]
    ?.split("\n")
    .flatMap((row) => row.split("|")[1]?.match(/\w+/g) ?? []);

  expect(listed?.toSorted()).toEqual(Object.keys(actions).toSorted());
});
