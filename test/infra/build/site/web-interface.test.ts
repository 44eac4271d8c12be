import { beforeAll, describe, expect, test } from "vitest";
import type { SiteFile } from "../../../../infra/build/site/static-files.ts";
import { webInterface } from "../../../../infra/build/site/web-interface.ts";
import { compress } from "../../../../lambdas/functions/site/content.ts";

let files: SiteFile[];
beforeAll(async () => {
  files = await webInterface();
});

const documentOf = (path: string): string => String(files.find((file) => file.path === path)?.bytes);

describe("the web interface", () => {
  test("serves the same document for each of its pages", () => {
    expect(documentOf("/")).toContain('<div id="root">');
    expect(documentOf("/keys")).toBe(documentOf("/"));
  });

  test("has a document that its Content-Security-Policy does not block any part of", () => {
    expect(documentOf("/")).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  test.each(["br", "gzip"] as const)("loads less than 350 KB on the first visit: %s", async (encoding) => {
    const loaded = files.filter(({ path }) => path === "/" || documentOf("/").includes(`"${path}"`));
    const sizes = await Promise.all(loaded.map(async ({ bytes }) => (await compress(bytes, encoding)).length));

    expect(loaded.map(({ path }) => path.split(".").at(-1))).toEqual(expect.arrayContaining(["js", "css"]));
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(350_000);
  });

  test("is cached permanently only where the path changes with the content", () => {
    for (const { path, isImmutable = false } of files) {
      expect(isImmutable, path).toBe(/-[\w-]{8}\.(js|css)$/.test(path));
    }
  });
});
