import { type IncomingMessage, request } from "node:http";
import { brotliDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

/**
 * Loads a path as a browser does: without a token, and without asking for JSON. Not by fetch, which in Node.js ends the
 * process when a large body is still being decoded as the connection closes (nodejs/undici#5360).
 */
const load = async (path: string, encoding = "identity") => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { accept: "text/html", "accept-encoding": encoding };
    request(`${service.baseUrl}${path}`, { headers }).once("response", resolve).once("error", reject).end();
  });
  const body = Buffer.concat(await response.toArray());
  return { status: response.statusCode, headers: response.headers, body, text: body.toString("utf8") };
};

const assetsOf = (html: string): string[] =>
  [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => String(path));

describe.each(["/", "/keys"])("the page at %s", (path) => {
  test("is open to anyone, since it contains no data", async () => {
    const response = await load(path);
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(response.headers["cache-control"]).toBe("no-cache");
  });

  test("runs only its own scripts, calls only this service and the login, and cannot be framed", async () => {
    const response = await load(path);
    const policy = String(response.headers["content-security-policy"]);
    const { origin: login } = new URL(String(service.loginUrl));

    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    expect(policy).toMatch(new RegExp(`connect-src 'self' ${login} https://[a-z0-9.-]+\\.amazoncognito\\.com;`));
    expect(policy.replace(/connect-src [^;]*;/, "")).not.toContain("http");
    expect(response.text).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  test("names its files by their content, so that they can be cached permanently, and they exist", async () => {
    const assets = assetsOf((await load(path)).text);
    expect(assets.length).toBeGreaterThan(1);
    for (const asset of assets) {
      const response = await load(asset);
      expect(response.status).toBe(200);
      expect(response.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(response.text.length).toBeGreaterThan(0);
    }
  });
});

describe("the settings", () => {
  test("give the web interface its own address and that of the login", async () => {
    const response = await load("/settings.json");
    expect(response.headers["cache-control"]).toBe("no-cache");
    expect(JSON.parse(response.text)).toEqual({
      base_url: service.baseUrl,
      authority: service.loginUrl,
      client_id: service.loginClientIds[0],
    });
  });
});

/** The number of bytes of a body as transferred, before decoding. */
const transferred = async (path: string): Promise<Buffer> => {
  const response = await load(path, "br");
  expect(response.headers["content-encoding"]).toBe("br");
  return response.body;
};

test("the whole first load is below 350 KB when compressed", async () => {
  const page = await transferred("/");
  const assets = assetsOf(brotliDecompressSync(page).toString("utf8"));
  const sizes = await Promise.all(assets.map(async (path) => (await transferred(path)).length));
  expect(sizes.reduce((sum, size) => sum + size, page.length)).toBeLessThan(350 * 1024);
});

test.for(["/settings", "/keys/", "/index.html", "/assets/", "/assets/site.json", "/api/documentation/nowhere"])(
  "%s does not exist, which a page tells a browser, with the headers of the other pages",
  async (path) => {
    const { status, headers, text } = await load(path);
    expect(status).toBe(404);
    expect(text).toContain("<h1>Page not found</h1>");
    const { headers: expected } = await load("/");
    for (const name of [
      "cache-control",
      "content-type",
      "cross-origin-opener-policy",
      "referrer-policy",
      "x-frame-options",
    ])
      expect([name, headers[name]]).toEqual([name, expected[name]]);
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/);
  },
);
