import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { decodeBody } from "../../tools/support/decode-body.ts";
import { type DocumentationService, startDocumentationService } from "../support/documentation-service.ts";

const page = "/api/documentation";
const description = "/api/documentation/api-docs.json";

let service: DocumentationService;
beforeAll(async () => {
  service = await startDocumentationService();
});
afterAll(() => service.close());

/** Loads a path as a browser does: without a token, and without asking for JSON. */
const load = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { method, headers: { accept: "text/html", ...headers } };
    request(`${service.baseUrl}${path}`, options).once("response", resolve).once("error", reject).end();
  });
  const bytes = Buffer.concat(await response.toArray());
  return { status: response.statusCode, headers: response.headers, bytes, text: bytes.toString("utf8") };
};

const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(documentation\/[^"]+\.(?:js|css))"/g)].map(([, path]) => `/api/${path}`);

describe("the documentation page", () => {
  test("is open to a browser that has no token and does not ask for JSON", async () => {
    const { status, headers, text } = await load(page);

    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(text).toContain("<title>API documentation</title>");
  });

  test("is the destination of a call that does not ask for JSON", async () => {
    const { headers } = await load("/api/v1/key");

    expect((await load(headers.location ?? "")).text).toContain("<title>API documentation</title>");
  });

  test("lets the browser load and run only files of this service", async () => {
    const { headers, text } = await load(page);
    const policy = headers["content-security-policy"];

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["x-frame-options"]).toBe("DENY");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["strict-transport-security"]).toContain("max-age=");
    expect(headers["x-request-id"]).toMatch(/\S/);
    expect(headers.connection).toBe("close");
  });

  test("names its scripts and styles by their content, so that they can be cached permanently", async () => {
    const assets = assetsOf((await load(page)).text);

    expect(assets).toHaveLength(2);
    for (const path of assets) {
      const { headers, text } = await load(path);
      expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(headers["content-type"]).toBe(
        path.endsWith(".js") ? "text/javascript; charset=utf-8" : "text/css; charset=utf-8",
      );
      expect(path).toContain(createHash("sha256").update(text).digest("base64url").slice(0, 16));
    }
  });
});

describe("the description", () => {
  test("is what npm run docs generated, with the address of the service", async () => {
    const { headers, text } = await load(description);

    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(text)).toEqual({
      ...JSON.parse(await readFile(service.descriptionFile, "utf8")),
      servers: [{ url: service.baseUrl }],
    });
    expect(JSON.parse(text)).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
  });

  test("names the address of the deployment, whatever a request says about its host", async () => {
    const forged = { host: "evil.example", "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
    const { status, text, headers } = await load(description, forged);

    expect(status).toBe(200);
    expect(text).not.toContain("evil.example");
    expect(JSON.parse(text)).toMatchObject({ servers: [{ url: service.baseUrl }] });
    expect(headers.etag).toBe((await load(description)).headers.etag);
  });

  test("is current as soon as the file changes", async () => {
    const [before, text] = [await load(description), await readFile(service.descriptionFile, "utf8")];
    await writeFile(service.descriptionFile, '{"openapi": "3.1.1", "changed": true}');
    const after = await load(description);
    await writeFile(service.descriptionFile, text);

    expect(JSON.parse(after.text)).toMatchObject({ changed: true });
    expect(after.headers.etag).not.toBe(before.headers.etag);
    expect((await load(description)).headers.etag).toBe(before.headers.etag);
  });
});

describe("a compressed answer", () => {
  test.each([
    ["gzip, deflate, br, zstd", "br"],
    ["gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["BR", "br"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
    ["identity, br;q=0.5", undefined],
    ["br;q=0, gzip;q=0", undefined],
    ["zstd", undefined],
    ["", undefined],
    ["identity;q=0", undefined],
  ])("to Accept-Encoding: %s is %s", async (acceptEncoding, expected) => {
    for (const path of [page, description]) {
      const { headers, bytes } = await load(path, { "accept-encoding": acceptEncoding });
      const encoding = headers["content-encoding"];

      expect(encoding).toBe(expected);
      expect(decodeBody(bytes, encoding).toString("utf8")).toBe((await load(path)).text);
    }
  });

  test("tells caches that it depends on the encodings that the client accepts", async () => {
    expect((await load(page)).headers.vary).toBe("Accept-Encoding");
  });
});

describe("a browser that has the file already", () => {
  const tagOf = async (path: string, headers?: Record<string, string>) =>
    (await load(path, headers)).headers.etag ?? "";

  test.each([page, description])("gets a 304: %s", async (path) => {
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"[^"]+"$/);

    for (const ifNoneMatch of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const { status, headers, text } = await load(path, { "if-none-match": ifNoneMatch });
      expect(status).toBe(304);
      expect(text).toBe("");
      expect(headers.etag).toBe(tag);
      expect(headers.vary).toBe("Accept-Encoding");
      expect(headers["cache-control"]).toBe("no-cache");
    }
  });

  test("gets the file if it has another one, or the same one in another encoding", async () => {
    const gzipped = await tagOf(page, { "accept-encoding": "gzip" });

    for (const ifNoneMatch of ['"other"', gzipped, gzipped.replaceAll('"', "")]) {
      expect((await load(page, { "if-none-match": ifNoneMatch, "accept-encoding": "br" })).status).toBe(200);
    }
  });
});

test("HEAD answers like GET, without the body", async () => {
  for (const path of [page, description]) {
    const [got, head] = [await load(path), await load(path, {}, "HEAD")];

    expect(head.status).toBe(200);
    expect(head.text).toBe("");
    expect(head.headers.etag).toBe(got.headers.etag);
    expect(head.headers["content-length"]).toBe(got.headers["content-length"]);
  }
});

test.each([
  "/api/documentation/nothing.js",
  "/api/documentation/index.js",
  "/api/documentation/site.json",
  "/api/documentation/../index.js",
  "/api/documentation/..%2Findex.js",
  "/api/documentation/%2e%2e%2fsite.json",
  "/api/documentation/files/%00",
  "/api/documentation//etc/passwd",
  "/api/documentation/missing-description.html",
  "/api/documentation/toString",
  "/api/documentation/",
])("there is no file at %s", async (path) => {
  const answer = await service.call("GET", path);

  expect(answer.status).toBe(404);
  expect(answer.json()).toMatchObject({ code: "endpoint_not_found" });
});

describe("without api-docs.json", () => {
  const hide = () => rename(service.descriptionFile, `${service.descriptionFile}.hidden`);
  const show = () => rename(`${service.descriptionFile}.hidden`, service.descriptionFile);
  afterEach(() => rm(`${service.descriptionFile}.hidden`, { force: true }));

  test("the page says so, names the file and the commands that restore it, and works once it is back", async () => {
    await hide();
    const { status, headers, text } = await load(page);
    const asset = await load(assetsOf(text)[0] ?? "");
    const call = await service.call("GET", "/api/v1/token");
    await show();

    expect(status).toBe(503);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers.etag).toBeUndefined();
    for (const words of ["api-docs.json", "npm run docs", "npx cdk deploy"]) expect(text).toContain(words);
    expect(asset.status).toBe(200);
    expect(call.status).toBe(200);
    expect((await load(page)).status).toBe(200);
  });

  test("the description's own address says so in JSON", async () => {
    await hide();
    const { status, headers, text } = await load(description, { "if-none-match": "*" });
    await show();

    expect(status).toBe(503);
    expect(headers["content-type"]).toBe("application/json");
    expect(JSON.parse(text)).toEqual({
      code: "documentation_missing",
      message: expect.stringMatching(/api-docs\.json.*npm run docs.*npx cdk deploy/),
    });
    expect((await load(description)).status).toBe(200);
  });

  test("the log mentions it once, however often the page is requested", async () => {
    const mentions = () => service.logged().match(/"level":"ERROR","message":"documentation_missing"/g)?.length ?? 0;
    const before = mentions();
    await hide();
    for (const path of [page, description, page]) await load(path);
    await show();

    expect(mentions() - before).toBe(1);
  });
});
