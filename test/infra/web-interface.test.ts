import { beforeAll, describe, expect, test } from "vitest";
import type { SiteFile } from "../../infra/build/static-files.ts";
import { webInterface } from "../../infra/build/web-interface.ts";
import { compress } from "../../lambdas/functions/site/content.ts";

let files: SiteFile[];
beforeAll(async () => {
  files = await webInterface();
});

const documentOf = (path: string): string => String(files.find((file) => file.path === path)?.bytes);

describe("the web interface", () => {
  test("has the same document at each of its pages", () => {
    expect(documentOf("/")).toContain('<div id="root">');
    expect(documentOf("/keys")).toBe(documentOf("/"));
  });

  test("has nothing in its document that the policy of the pages would block", () => {
    expect(documentOf("/")).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  test.each(["br", "gzip"] as const)("loads less than 350 KB at first: %s", async (encoding) => {
    const loaded = files.filter(({ path }) => path === "/" || documentOf("/").includes(`"${path}"`));
    const sizes = await Promise.all(loaded.map(async ({ bytes }) => (await compress(bytes, encoding)).length));

    expect(loaded.map(({ path }) => path.split(".").at(-1))).toEqual(expect.arrayContaining(["js", "css"]));
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(350_000);
  });

  test("keeps for good only what changes its address with its content", () => {
    for (const { path, isImmutable = false } of files) {
      expect(isImmutable, path).toBe(/-[\w-]{8}\.(js|css)$/.test(path));
    }
  });
});
