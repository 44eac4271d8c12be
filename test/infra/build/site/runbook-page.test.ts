import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { runbookPage } from "../../../../infra/build/site/documents.ts";
import type { SiteFile } from "../../../../infra/build/site/static-files.ts";
import { anchorOf } from "../../../../lambdas/addresses.ts";

let files: SiteFile[];
let page: string;
beforeAll(async () => {
  files = await runbookPage();
  page = String(files.find(({ path }) => path === "/runbook")?.bytes);
});

describe("the page of the runbook", () => {
  test("has each heading of docs/runbook.md with an anchor of its own", async () => {
    const text = await readFile(new URL("../../../../docs/runbook.md", import.meta.url), "utf8");
    const headings = [...text.matchAll(/^#{1,3} (.+)$/gm)].map(([, heading = ""]) => heading);
    const anchors = [...page.matchAll(/<h\d id="([^"]+)">/g)].map(([, anchor]) => anchor);

    expect(headings.length).toBeGreaterThan(10);
    // A comment in a command looks like a heading.
    expect(headings.filter((heading) => anchors.includes(anchorOf(heading)))).toHaveLength(anchors.length);
    expect(new Set(anchors).size).toBe(anchors.length);
  });

  test("shows the commands unchanged", () => {
    expect(page).toContain("aws cloudformation continue-update-rollback --stack-name &quot;$STACK&quot;");
  });

  test("refers to a style sheet that changes its name with its content, and to no script", () => {
    const [, styleSheet] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];

    expect(files.find(({ isImmutable }) => isImmutable)?.path).toBe(`/${styleSheet}`);
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script/);
  });

  test("is complete: nothing of its template is left", () => {
    expect(page).not.toContain("<!-- runbook -->");
  });
});
