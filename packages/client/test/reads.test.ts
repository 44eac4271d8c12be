import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { createIntegrationClient } from "../src/index.ts";
import { busy, failureOf, found, keyOf, scripted, unchanged } from "./support/scripted-service.ts";

const clientOf = (baseUrl: string) =>
  createIntegrationClient({ baseUrl, token: "itk_1", retry: { wait: async () => undefined } });

const path = "/api/v1/key/{key_id}";
const params = { path: { key_id: "1" } };

const conditions = (requests: { headers: Record<string, unknown> }[]) =>
  requests.map(({ headers }) => headers["if-none-match"]);

describe("a read that is repeated", () => {
  test("names the ETag of what it returned, and returns it again if that is unchanged", async () => {
    const { baseUrl, requests } = await scripted(found(keyOf("1"), { etag: '"a"' }), unchanged({ etag: '"a"' }));
    const client = clientOf(baseUrl);
    const first = await client.GET(path, { params });
    const second = await client.GET(path, { params });

    expect(second).toEqual(first);
    expect(conditions(requests)).toEqual([undefined, '"a"']);
  });

  test("returns what has changed, and asks for that from then on", async () => {
    const { baseUrl, requests } = await scripted(
      found(keyOf("1"), { etag: '"a"' }),
      found(keyOf("1", "w".repeat(64)), { etag: '"b"' }),
      unchanged({ etag: '"b"' }),
    );
    const client = clientOf(baseUrl);
    await client.GET(path, { params });
    await client.GET(path, { params });

    expect(await client.GET(path, { params })).toEqual(keyOf("1", "w".repeat(64)));
    expect(conditions(requests)).toEqual([undefined, '"a"', '"b"']);
  });

  test("returns the original although its caller has changed the object that was returned before", async () => {
    const same = unchanged({ etag: '"a"' });
    const { baseUrl } = await scripted(found(keyOf("1"), { etag: '"a"' }), same, same);
    const client = clientOf(baseUrl);
    for (const _ of ["when it is new", "when it is remembered"]) {
      const key = await client.GET(path, { params });
      key.v_code = "changed";
    }

    expect(await client.GET(path, { params })).toEqual(keyOf("1"));
  });

  test("is not conditional if it has another address, or if the response had no ETag", async () => {
    const { baseUrl, requests } = await scripted(
      found(keyOf("1"), { etag: '"a"' }),
      found(keyOf("2")),
      found(keyOf("2"), { etag: '"b"' }),
      found(keyOf("2")),
      found(keyOf("2")),
    );
    const client = clientOf(baseUrl);
    await client.GET(path, { params });
    for (let time = 0; time < 4; time += 1) await client.GET(path, { params: { path: { key_id: "2" } } });

    expect(conditions(requests)).toEqual([undefined, undefined, undefined, '"b"', undefined]);
  });

  test("stays conditional while the service is busy", async () => {
    const { baseUrl, requests } = await scripted(
      found(keyOf("1"), { etag: '"a"' }),
      busy(503),
      busy(429),
      unchanged({ etag: '"a"' }),
    );
    const client = clientOf(baseUrl);
    await client.GET(path, { params });

    expect(await client.GET(path, { params })).toEqual(keyOf("1"));
    expect(conditions(requests)).toEqual([undefined, '"a"', '"a"', '"a"']);
  });

  test("by another client is not conditional, because it may have another token", async () => {
    const { baseUrl, requests } = await scripted(found(keyOf("1"), { etag: '"a"' }), found(keyOf("1")));
    await clientOf(baseUrl).GET(path, { params });
    await clientOf(baseUrl).GET(path, { params });

    expect(conditions(requests)).toEqual([undefined, undefined]);
  });
});

test("a 304 that the client did not ask for is a failure", async () => {
  const { baseUrl } = await scripted(unchanged());

  expect(await failureOf(clientOf(baseUrl).GET(path, { params }))).toMatchObject({ status: 304, code: "unknown" });
});

describe("pages that are read again", () => {
  const listOf = async (client: ReturnType<typeof clientOf>) => {
    const pages: unknown[] = [];
    for await (const page of client.pages("/api/v1/key", { params: { query: { limit: 1 } } })) pages.push(page);
    return pages;
  };
  const first = found([keyOf("1")], { etag: 'W/"a"', link: '</api/v1/key?limit=1&cursor=x>; rel="next"' });
  const second = found([keyOf("2")], { etag: 'W/"b"' });

  test("cost no bytes if they are unchanged, and lead to the next page", async () => {
    const { baseUrl, requests } = await scripted(
      first,
      second,
      unchanged({ etag: 'W/"a"', link: '</api/v1/key?limit=1&cursor=y>; rel="next"' }),
      found([keyOf("2")]),
      unchanged({ etag: 'W/"a"' }),
      unchanged({ etag: 'W/"b"' }),
    );
    const client = clientOf(baseUrl);
    for (let time = 0; time < 3; time += 1) expect(await listOf(client)).toEqual([[keyOf("1")], [keyOf("2")]]);

    expect(requests.map(({ url }) => url.replace(/.*limit=1/, ""))).toEqual([
      "",
      "&cursor=x",
      "",
      "&cursor=y",
      "",
      "&cursor=x",
    ]);
    expect(conditions(requests)).toEqual([undefined, undefined, 'W/"a"', undefined, 'W/"a"', 'W/"b"']);
  });

  test("lead to a page that is new", async () => {
    const { baseUrl } = await scripted(
      found([keyOf("1")], { etag: 'W/"a"' }),
      unchanged({ etag: 'W/"a"', link: '</api/v1/key?limit=1&cursor=x>; rel="next"' }),
      second,
    );
    const client = clientOf(baseUrl);

    expect(await listOf(client)).toEqual([[keyOf("1")]]);
    expect(await listOf(client)).toEqual([[keyOf("1")], [keyOf("2")]]);
  });
});

describe("a list", () => {
  test("is asked for without a limit if there is none, and ends only where there is no link", async () => {
    const link = (cursor: string) => ({ link: `</api/v1/key?cursor=${cursor}>; rel="next"` });
    const { baseUrl, requests } = await scripted(found([keyOf("1")], link("a")), found([], link("b")), found([]));
    const pages: unknown[] = [];
    for await (const page of clientOf(baseUrl).pages("/api/v1/key")) pages.push(page);

    expect(pages).toEqual([[keyOf("1")], [], []]);
    expect(requests.map(({ url }) => url)).toEqual(["/api/v1/key", "/api/v1/key?cursor=a", "/api/v1/key?cursor=b"]);
  });

  test("is asked for without the parameters that are undefined", async () => {
    const { baseUrl, requests } = await scripted(found());
    // What code without types may pass.
    const query: object = { limit: undefined, cursor: "a b" };
    await clientOf(baseUrl).GET("/api/v1/key", { params: { query } });

    expect(requests.map(({ url }) => url)).toEqual(["/api/v1/key?cursor=a+b"]);
  });

  test("stops where its reader leaves the loop", async () => {
    const { baseUrl, requests } = await scripted(found([], { link: "<?cursor=a>; rel=next" }));
    for await (const _ of clientOf(baseUrl).pages("/api/v1/key")) break;

    expect(requests).toHaveLength(1);
  });

  test("sends the caller's headers and its own path for each page", async () => {
    const { baseUrl, requests } = await scripted(found([], { link: "<?cursor=a>; rel=next" }), found([]));
    const headers = { traceparent: "00-1" };
    for await (const _ of clientOf(baseUrl).pages("/api/v1/key", { headers }));

    const sent = { traceparent: "00-1", "x-sent-path": "/api/v1/key", "x-token": "itk_1" };
    expect(requests.map(({ headers }) => headers)).toEqual([
      expect.objectContaining(sent),
      expect.objectContaining(sent),
    ]);
  });

  test("can be cancelled at each page", async () => {
    const giveUp = new AbortController();
    const { baseUrl, requests } = await scripted(found([], { link: "<?cursor=a>; rel=next" }), found([]));
    const pages = clientOf(baseUrl).pages("/api/v1/key", { signal: giveUp.signal });
    await pages.next();
    giveUp.abort(new Error("no longer needed"));

    expect(await failureOf(pages.next())).toMatchObject({ message: "no longer needed" });
    expect(requests).toHaveLength(1);
  });
});

test.each([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
])("a body that is compressed with %s is asked for, read and remembered", async (coding, compress) => {
  const { baseUrl, requests } = await scripted((_, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": coding, etag: 'W/"a"' });
    response.end(compress(JSON.stringify([keyOf("é🔑")])));
  }, unchanged());
  const client = clientOf(baseUrl);

  expect(await client.GET("/api/v1/key")).toEqual([keyOf("é🔑")]);
  expect(await client.GET("/api/v1/key")).toEqual([keyOf("é🔑")]);
  expect(requests[0]?.headers["accept-encoding"]).toContain("gzip");
});
