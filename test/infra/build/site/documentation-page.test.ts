import { beforeAll, describe, expect, test } from "vitest";
import type { SiteFile } from "../../../../infra/build/site/static-files.ts";
import { documentationPage } from "../../../../infra/build/site/write-site.ts";
import { compress } from "../../../../lambdas/functions/site/content.ts";

let files: SiteFile[];
let page: string;
beforeAll(async () => {
  files = await documentationPage();
  page = String(files.find(({ path }) => path === "/api/documentation")?.bytes);
});

describe("the documentation page", () => {
  test("loads less than 110 KB on the first visit, besides the description", async () => {
    const loaded = files.filter(({ path }) => path !== "missing-description.html");
    const sizes = await Promise.all(loaded.map(async ({ bytes }) => (await compress(bytes, "br")).length));

    expect(loaded).toHaveLength(3);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(110_000);
  });

  test("contains the guide as text, for readers without JavaScript", () => {
    expect(page).toContain('<article id="/guide/first-call">');
    expect(page).toContain("<h1>First call</h1>");
    expect(page).toContain('<h2 id="changelog">');
  });

  test("has links between chapters that lead to chapters of the page, and to sections of them", () => {
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    const ids = [...page.matchAll(/<article id="([^"]+)">(.*?)<\/article>/gs)].flatMap(([, chapter, text = ""]) => [
      chapter,
      ...[...text.matchAll(/<h\d id="([^"]+)"/g)].map(([, section]) => `${chapter}/${section}`),
    ]);

    expect(page).not.toMatch(/href="[^"]+\.md/);
    expect(links.filter((target) => !ids.includes(target))).toEqual([]);
  });
});
