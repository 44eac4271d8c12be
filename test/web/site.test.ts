import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import { exampleAddress } from "../../lambdas/shared/addresses.ts";
import { compress } from "../../lambdas/site/content.ts";
import { documentation as buildDocumentation } from "../../web/site/build-documentation.ts";
import { cachedBuild, webInterface } from "../../web/site/build-web-interface.ts";
import { guideChapters } from "../../web/site/guide-documents.ts";
import type { SiteFile } from "../../web/site/site-files.ts";

const web = { path: "/", files: [] as SiteFile[] };
const documentation = { path: "/api/documentation", files: [] as SiteFile[] };
beforeAll(async () => {
  [documentation.files, web.files] = await Promise.all([buildDocumentation(api), webInterface(api)]);
});

type Page = typeof web;

const documentOf = ({ files, path }: Page, at = path): string => String(files.find((file) => file.path === at)?.bytes);

/** The documentation's pages by path. */
const pagesOfDocumentation = () =>
  new Map(
    documentation.files
      .filter(({ path, contentType }) => path.startsWith(documentation.path) && contentType.startsWith("text/html"))
      .map(({ path, bytes }) => [path, String(bytes)]),
  );

test.each([
  ["the documentation", documentation, "br", 110_000],
  ["the web interface", web, "br", 350_000],
  ["the web interface", web, "gzip", 364_000],
] as const)("the first visit to %s loads little: %o in %s", async (_, page, encoding, most) => {
  const named = documentOf(page);
  const loaded = page.files.filter(
    ({ path, isImmutable }) => path === page.path || (isImmutable && named.includes(`"${path}"`)),
  );
  const sizes = await Promise.all(loaded.map(async ({ bytes }) => (await compress(bytes, encoding)).length));

  expect(loaded.map(({ path }) => path.split(".").at(-1))).toEqual(expect.arrayContaining(["js", "css"]));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(most);
});

describe("the documentation", () => {
  test("has a page with its own title and description for each chapter and operation, in HTML and Markdown", async () => {
    const pages = pagesOfDocumentation();
    const operations = operationsOf(api).length;

    expect(pages.size).toBe((await guideChapters(api)).length + operations);
    expect([...pages.keys()]).toEqual(
      expect.arrayContaining(
        ["/keys/create", "/keys/get", "/tokens/rotate", "/errors"].map((path) => documentation.path + path),
      ),
    );
    for (const part of [
      /<title>(.+)<\/title>/,
      /<meta name="description" content="([^"]{20,})"/,
      /<h1[^>]*>(.+?)<\/h1>/,
    ]) {
      expect(new Set([...pages.values()].map((page) => part.exec(page)?.[1])).size).toBe(pages.size);
    }
    for (const [path, page] of pages) {
      const [, title] = /<h1[^>]*>(.+?)<\/h1>/.exec(page) ?? [];
      expect(documentOf(documentation, `${path}.md`)).toMatch(new RegExp(`^# ${title}\n`));
      expect(documentOf(documentation, `${documentation.path}/llms.txt`)).toContain(
        `[${title}](${exampleAddress}${path}.md)`,
      );
    }
  });

  test("links only to its own existing pages, files and headings, in HTML and in Markdown", () => {
    const pages = pagesOfDocumentation();
    const files = new Set(documentation.files.map(({ path }) => path).concat(`${documentation.path}/api-docs.json`));
    const anchors = (path: string) => [...(pages.get(path) ?? "").matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);

    for (const [path, page] of pages) {
      for (const [, href = ""] of page.matchAll(/ href="([^"]+)"/g)) {
        if (href.startsWith("data:")) continue;
        const { pathname, hash } = new URL(href, `https://x${path}`);
        expect(files, `${href} on ${path}`).toContain(pathname);
        if (hash) expect(anchors(pathname), `${href} on ${path}`).toContain(hash.slice(1));
      }
      const links = documentOf(documentation, `${path}.md`).matchAll(/\]\(https:\/\/api\.example\.com([^)#]+)/g);
      for (const [, target] of links) expect(files).toContain(target);
      expect(documentOf(documentation, `${path}.md`)).not.toMatch(/\]\((?!https:)/);
    }
  });

  test("shows samples in every language, fields, responses and errors without JavaScript", () => {
    const page = pagesOfDocumentation().get(`${documentation.path}/keys/create`) ?? "";
    const text = page.replaceAll(/<[^>]+>/g, "");

    for (const part of [
      `curl &#x27;${exampleAddress}/api/v1/key`,
      "await client.POST(",
      "client.create_key(",
      "stream_context_create",
    ]) {
      expect(text).toContain(part);
    }
    for (const part of ["exactly 64 characters", "201 Created", "token_expired"]) expect(text).toContain(part);
  });
});

describe("the web interface", () => {
  test("is cached permanently only if the path changes with the content", () => {
    for (const { path, isImmutable = false } of web.files) {
      expect(isImmutable, path).toBe(/-[\w-]{8}\.(js|css)$/.test(path));
    }
  });
});

describe("a cached build", () => {
  const name = `test-${process.pid}`;
  afterEach(() =>
    rm(fileURLToPath(new URL(`../../node_modules/.cache/${name}`, import.meta.url)), { recursive: true }),
  );

  const files = [
    { path: "/a.js", contentType: "text/javascript", bytes: Buffer.from([0, 255, 10]), isImmutable: true },
  ];

  test("is reused unchanged for the same inputs, and rebuilt for others", async () => {
    const build = vi.fn(async () => files);
    const inputs = ["infra", "package-lock.json"];

    expect(await cachedBuild({ name, inputs, build })).toEqual(files);
    expect(await cachedBuild({ name, inputs, build })).toEqual(files);
    expect(build).toHaveBeenCalledTimes(1);
    await cachedBuild({ name, inputs: ["tsconfig.json"], build });
    expect(build).toHaveBeenCalledTimes(2);
  });
});
