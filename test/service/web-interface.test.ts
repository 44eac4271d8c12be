import { createHash } from "node:crypto";
import { cp, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { type OwnService, startService } from "../support/service.ts";

/* Tests what browsers load: the web interface and the API documentation. */

const documentation = "/api/documentation";
const description = "/api/documentation/api-docs.json";
const pages = ["/", "/keys", documentation, `${documentation}/keys/create`];

let service: OwnService;
/** A copy of the assembly, because the tests damage a bundle. */
let assemblyDirectory: string;
/** The file `api-docs.json` in the bundle of the running function. */
let descriptionFile: string;
beforeAll(async () => {
  assemblyDirectory = await mkdtemp(join(tmpdir(), "integration-api-documentation-"));
  await cp(inject("assemblyDirectory"), assemblyDirectory, { recursive: true });
  service = await startService({ assemblyDirectory });
  descriptionFile = join(service.codeDirectoryOf("site") ?? "", "api-docs.json");
});
afterAll(async () => {
  await service.close();
  await rm(assemblyDirectory, { recursive: true });
});

/** Loads a path as a browser does: without a token, and without asking for JSON. */
const load = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  service.call(method, path, { token: null, headers: { accept: "text/html", ...headers } });

const assetsOf = (html: string, path: string): string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(
    ([, asset = ""]) => new URL(asset, service.baseUrl + path).pathname,
  );

describe.each(pages)("the page at %s", (path) => {
  test("is public, since it contains no data, and has protective headers", async () => {
    const { status, headers } = await load(path);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      vary: "Accept-Encoding",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "strict-transport-security": expect.stringContaining("max-age="),
      "x-request-id": expect.stringMatching(/\S/),
      connection: "close",
    });
  });

  test("runs only its own scripts, calls only this service and the login, and cannot be framed", async () => {
    const { headers, text } = await load(path);
    const policy = String(headers["content-security-policy"]);
    const { origin: login } = new URL(String(service.loginUrl));
    const others = path.startsWith(documentation) ? "" : ` ${login} https://[a-z0-9.-]+\\.amazoncognito\\.com`;

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(new RegExp(`connect-src 'self'${others};`));
    expect(policy.replace(/connect-src [^;]*;/, "")).not.toContain("http");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  test("names its files by their content for permanent caching, and all of them exist", async () => {
    const assets = assetsOf((await load(path)).text, path);
    expect(assets.length).toBeGreaterThan(1);
    for (const asset of assets) {
      const { status, headers, text } = await load(asset);
      expect({ status, caching: headers["cache-control"] }).toEqual({
        status: 200,
        caching: "public, max-age=31536000, immutable",
      });
      expect(headers["content-type"]).toMatch(asset.endsWith(".js") ? /^text\/javascript;/ : /^text\/css;/);
      if (path.startsWith(documentation)) {
        expect(asset).toContain(createHash("sha256").update(text).digest("base64url").slice(0, 16));
      }
    }
  });

  test("is compressed only for a browser that accepts it", async () => {
    const { text } = await load(path);
    for (const encoding of ["br", "gzip", undefined]) {
      const compressed = await load(path, { "accept-encoding": encoding ?? "zstd" });
      expect(compressed.headers["content-encoding"]).toBe(encoding);
      expect(compressed.text).toBe(text);
    }
  });

  test("returns 304 to a browser that has it in the same encoding, and no body for HEAD", async () => {
    const { headers, text } = await load(path, { "accept-encoding": "br" });
    const { etag = "" } = headers;
    expect(etag).toMatch(/^"[^"]+"$/);
    const unchanged = await load(path, { "accept-encoding": "br", "if-none-match": etag });
    expect(unchanged).toMatchObject({ status: 304, text: "" });
    expect(unchanged.headers).toMatchObject({ etag, vary: "Accept-Encoding", "cache-control": "no-cache" });
    expect((await load(path, { "accept-encoding": "br", "if-none-match": '"other"' })).text).toBe(text);
    expect((await load(path, { "accept-encoding": "gzip", "if-none-match": etag })).status).toBe(200);
    const head = await load(path, { "accept-encoding": "br" }, "HEAD");
    expect(head).toMatchObject({ status: 200, text: "" });
    expect(head.headers).toMatchObject({ etag, "content-length": headers["content-length"] });
  });
});

test("the settings tell the web interface its own address and the login's address", async () => {
  const { headers, text } = await load("/settings.json");
  expect(headers["cache-control"]).toBe("no-cache");
  expect(JSON.parse(text)).toEqual({
    base_url: service.baseUrl,
    authority: service.loginUrl,
    client_id: service.loginClientIds[0],
    pages: ["/", "/keys", "/history"],
  });
});

test.for(["/settings", "/keys/", "/index.html", "/assets/", "/assets/site.json"])(
  "%s returns 404, with a page for browsers and the usual page headers",
  async (path) => {
    const { status, headers, text } = await load(path);
    expect(status).toBe(404);
    expect(text).toContain("<h1>Page not found</h1>");
    const { headers: expected } = await load("/");
    for (const name of ["cache-control", "content-type", "referrer-policy", "x-frame-options"]) {
      expect([name, headers[name]]).toEqual([name, expected[name]]);
    }
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/);
  },
);

test("an unknown documentation page returns 404 with a list of all pages for browsers", async () => {
  const { status, headers, text } = await load(`${documentation}/keys/nowhere`);
  expect({ status, etag: headers.etag }).toEqual({ status: 404, etag: undefined });
  expect(headers["content-security-policy"]).toBe((await load(documentation)).headers["content-security-policy"]);
  expect(text).toContain("There is no page at this address");
  expect(text).toContain(`href="${documentation}/keys/create"`);
});

test.each([
  [documentation, "text/html"],
  [`${documentation}/keys/create`, "text/html"],
  [`${documentation}.md`, "text/markdown"],
  [`${documentation}/keys/create.md`, "text/markdown"],
  [`${documentation}/llms.txt`, "text/plain"],
  [`${documentation}/llms-full.txt`, "text/plain"],
])("%s contains the deployment's address, whatever Host a request sends", async (path, type) => {
  const { status, headers, text } = await load(path, { host: "evil.example", "x-forwarded-host": "evil.example" });
  expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: `${type}; charset=utf-8` });
  expect(text).toContain(service.baseUrl);
  expect(text).not.toMatch(/api\.example\.com|evil/);
});

test.each([
  ...["nothing.js", "index.js", "site.json", "../index.js", "..%2Findex.js", "%2e%2e%2fsite.json", "files/%00"],
  ...["/etc/passwd", "missing-description.html", "unknown-page.html", "toString"],
])("there is no file at /api/documentation/%s", async (file) => {
  const answer = await service.call("GET", `${documentation}/${file}`);
  expect(answer.status).toBe(404);
  expect(answer.json()).toMatchObject({ code: "endpoint_not_found" });
});

describe("the description of the API", () => {
  test("is what npm run docs generated, with the deployment's address, whatever Host a request sends", async () => {
    const forged = { host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
    for (const sent of [{}, forged]) {
      const { status, headers, text } = await load(description, sent);
      expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "application/json" });
      expect(JSON.parse(text)).toEqual({
        ...JSON.parse(await readFile(descriptionFile, "utf8")),
        servers: [{ url: service.baseUrl }],
      });
    }
  });

  test("is updated as soon as its file changes", async () => {
    const [before, text] = [await load(description), await readFile(descriptionFile, "utf8")];
    await writeFile(descriptionFile, '{"openapi": "3.1.1", "changed": true}');
    const after = await load(description);
    await writeFile(descriptionFile, text);

    expect(JSON.parse(after.text)).toMatchObject({ changed: true });
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect((await load(description)).headers.etag).toBe(before.headers.etag);
  });
});

describe("without api-docs.json", () => {
  const hidden = () => `${descriptionFile}.hidden`;
  const hide = () => rename(descriptionFile, hidden());
  const show = () => rename(hidden(), descriptionFile);
  afterEach(() => rm(hidden(), { force: true }));

  test("the pages say so, name the file and the commands that restore it, and work once it is restored", async () => {
    await hide();
    const { status, headers, text } = await load(`${documentation}/keys/create`);
    const asset = await load(assetsOf(text, documentation)[0] ?? "");
    const call = await service.call("GET", "/api/v1/token");
    await show();

    expect(status).toBe(503);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringContaining("default-src 'none'"),
    });
    expect(headers).not.toHaveProperty("etag");
    for (const words of ["api-docs.json", "npm run docs", "npx cdk deploy"]) expect(text).toContain(words);
    expect([asset.status, call.status]).toEqual([200, 200]);
    expect((await load(documentation)).status).toBe(200);
  });

  test("the description's address says so in JSON, and the log mentions it only once", async () => {
    const mentions = () => service.logged().match(/"level":"ERROR","message":"documentation_missing"/g)?.length ?? 0;
    const before = mentions();
    await hide();
    const { status, headers, text } = await load(description, { "if-none-match": "*" });
    for (const path of [documentation, description, documentation]) await load(path);
    await show();

    expect({ status, type: headers["content-type"] }).toEqual({ status: 503, type: "application/json" });
    expect(JSON.parse(text)).toEqual({
      code: "documentation_missing",
      message: expect.stringMatching(/api-docs\.json.*npm run docs.*deploy/),
    });
    expect(mentions() - before).toBe(1);
    expect((await load(description)).status).toBe(200);
  });
});
