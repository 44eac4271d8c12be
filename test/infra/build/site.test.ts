import { readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { SiteFile } from "../../../infra/build/site/static-files.ts";
import { cachedBuild, webInterface } from "../../../infra/build/site/web-interface.ts";
import { documents } from "../../../infra/build/site/write-site.ts";
import { anchorOf } from "../../../lambdas/addresses.ts";
import { compress } from "../../../lambdas/functions/site/content.ts";

const documentation = { path: "/api/documentation", files: [] as SiteFile[] };
const runbook = { path: "/runbook", files: [] as SiteFile[] };
const web = { path: "/", files: [] as SiteFile[] };
beforeAll(async () => {
  [documentation.files, web.files] = await Promise.all([documents(), webInterface()]);
  runbook.files = documentation.files;
});

type Page = typeof web;

const documentOf = ({ files, path }: Page, at = path): string => String(files.find((file) => file.path === at)?.bytes);

test.each([
  ["the documentation, besides the description", documentation, "br", 110_000],
  ["the web interface", web, "br", 350_000],
  ["the web interface", web, "gzip", 350_000],
] as const)("the first visit of %s loads little: %o in %s", async (_, page, encoding, most) => {
  // The page of the documentation names its files relative to its own address.
  const named = documentOf(page).replaceAll('"documentation/', '"/api/documentation/');
  const loaded = page.files.filter(({ path }) => path === page.path || named.includes(`"${path}"`));
  const sizes = await Promise.all(loaded.map(async ({ bytes }) => (await compress(bytes, encoding)).length));

  expect(loaded.map(({ path }) => path.split(".").at(-1))).toEqual(expect.arrayContaining(["js", "css"]));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(most);
});

test.each([
  ["web interface", web],
  ["runbook", runbook],
])("the Content-Security-Policy blocks no part of the document of the %s", (_, page) => {
  expect(documentOf(page)).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
});

describe("the documentation page", () => {
  test("has links between chapters that lead to chapters of the page, and to sections of them", () => {
    const page = documentOf(documentation);
    const links = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    const ids = [...page.matchAll(/<article id="([^"]+)">(.*?)<\/article>/gs)].flatMap(([, chapter, text = ""]) => [
      chapter,
      ...[...text.matchAll(/<h\d id="([^"]+)"/g)].map(([, section]) => `${chapter}/${section}`),
    ]);

    expect(page).not.toMatch(/href="[^"]+\.md/);
    expect(links.filter((target) => !ids.includes(target))).toEqual([]);
  });
});

describe("the page of the runbook", () => {
  test("has each heading of docs/runbook.md with an anchor of its own", async () => {
    const text = await readFile(new URL("../../../docs/runbook.md", import.meta.url), "utf8");
    const headings = [...text.matchAll(/^#{1,3} (.+)$/gm)].map(([, heading = ""]) => heading);
    const anchors = [...documentOf(runbook).matchAll(/<h\d id="([^"]+)">/g)].map(([, anchor]) => anchor);

    expect(headings.length).toBeGreaterThan(10);
    // A comment in a command looks like a heading.
    expect(headings.filter((heading) => anchors.includes(anchorOf(heading)))).toHaveLength(anchors.length);
    expect(new Set(anchors).size).toBe(anchors.length);
  });

  test("has the style sheet of the documentation, and no script", () => {
    const [, styleSheet] = /<link rel="stylesheet" href="([^"]+)"/.exec(documentOf(runbook)) ?? [];

    expect(runbook.files.find(({ path }) => path === `/${styleSheet}`)).toMatchObject({ isImmutable: true });
    expect(documentOf(runbook)).not.toContain("<script");
  });
});

describe("the web interface", () => {
  test("is cached permanently only where the path changes with the content", () => {
    for (const { path, isImmutable = false } of web.files) {
      expect(isImmutable, path).toBe(/-[\w-]{8}\.(js|css)$/.test(path));
    }
  });
});

describe("a build that is cached", () => {
  const name = `test-${process.pid}`;
  afterEach(() =>
    rm(fileURLToPath(new URL(`../../../node_modules/.cache/${name}`, import.meta.url)), { recursive: true }),
  );

  const files = [
    { path: "/a.js", contentType: "text/javascript", bytes: Buffer.from([0, 255, 10]), isImmutable: true },
  ];

  test("is made once with the same inputs and then reused unchanged, and again with others", async () => {
    const build = vi.fn(async () => files);
    const inputs = ["infra", "package-lock.json"];

    expect(await cachedBuild({ name, inputs, build })).toEqual(files);
    expect(await cachedBuild({ name, inputs, build })).toEqual(files);
    expect(build).toHaveBeenCalledTimes(1);
    await cachedBuild({ name, inputs: ["tsconfig.json"], build });
    expect(build).toHaveBeenCalledTimes(2);
  });
});
