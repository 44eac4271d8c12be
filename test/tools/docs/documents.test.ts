import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { errorCatalogue, errorCodes } from "../../../lambdas/errors/catalogue.ts";
import { detailTypes } from "../../../lambdas/functions/notices/notice-event.ts";
import { noticeKinds } from "../../../lambdas/resources/notices/notice.ts";
import { lifeCycle, type Transition } from "../../../lambdas/resources/tokens/life-cycle.ts";
import { documents } from "../../../tools/docs/generate.ts";

const read = (file: string): Promise<string> => readFile(new URL(`../../../${file}`, import.meta.url), "utf8");

test.each(Object.entries(documents))("%s is up to date with npm run docs", async (file, create) => {
  expect(await read(file)).toBe(await create());
});

describe("the documents have a line for", () => {
  test.each(Object.entries<Transition>(lifeCycle))("the step %s of a token, from each phase", async (name, step) => {
    const page = await read("docs/life-cycle.md");
    for (const phase of step.from.length === 0 ? ["[*]"] : step.from) {
      expect(page).toContain(`${phase} --> ${step.to}: ${name}\n`);
    }
  });

  test("each error of the catalogue, with its status, when it happens and what to do", async () => {
    const rows = (await read("docs/errors.md")).split("\n").filter((line) => /^\| \d/.test(line));

    expect(rows.map((row) => row.split(" | ").slice(0, 2).join(" ")).toSorted()).toEqual(
      errorCodes.map((code) => `| ${errorCatalogue[code].status} \`${code}\``).toSorted(),
    );
    for (const row of rows) expect(row).toMatch(/^\|( [^|]{3,} \|){4}$/);
  });

  test.each(noticeKinds)("when the notice %s is sent, and how a rule recognises it", async (kind) => {
    expect(await read("docs/notices.md")).toContain(`| \`${kind}\` | \`${detailTypes[kind]}\` |`);
  });
});
