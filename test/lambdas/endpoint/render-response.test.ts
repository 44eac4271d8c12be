import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { AnyResponse } from "../../../lambdas/declaration/responses.ts";
import { responseRenderer } from "../../../lambdas/endpoint/render-response.ts";

const render = responseRenderer(
  {
    method: "GET",
    query: z.object({ limit: z.string(), cursor: z.optional(z.string()) }),
    responses: {
      200: { description: "A page.", body: z.array(z.object({ id: z.string() })), paged: true },
      201: { description: "Created.", body: z.object({ id: z.string() }), location: true },
      202: { description: "A version.", body: z.object({ id: z.string() }), versioned: true },
      204: { description: "Deleted." },
    },
  },
  "v7",
);
const event = { rawPath: "/api/v7/thing", rawQueryString: "", headers: {} };
const askedWith = (ifNoneMatch: string) => ({ ...event, headers: { "if-none-match": ifNoneMatch } });

test("a body contains only the declared fields, and a response without a declared body has none", () => {
  expect(render({ status: 204, body: { secret: "x" } }, event)).toEqual({ statusCode: 204, headers: {} });
  expect(render({ status: 201, body: { id: "1", secret: "x" }, location: "/thing/1" }, event)).toEqual({
    statusCode: 201,
    headers: { "Content-Type": "application/json", Location: "/api/v7/thing/1" },
    body: '{"id":"1"}',
  });
});

test("a location is one line of ASCII, even if the handler has not encoded it", () => {
  const location = "/thing/ä%20b\r\nSet-Cookie: a=b" as const;
  const { headers } = render({ status: 201, body: {}, location }, event);
  expect(headers?.Location).toBe("/api/v7/thing/%C3%A4%20b%0D%0ASet-Cookie:%20a=b");
});

test("caches do not store a response whose schema contains a secret at any depth", () => {
  const cachingOf = (field: z.ZodMiniType) => {
    const body = z.array(z.object({ id: z.string(), a: z.optional(z.record(z.string(), z.nullable(field))) }));
    const responses = { 200: { description: "A text.", body } };
    const { headers } = responseRenderer({ method: "POST", responses }, "v7")({ status: 200, body: [] }, event);
    return headers?.["Cache-Control"];
  };
  const secret = z.string().check(z.meta({ format: "password" }));
  for (const field of [secret, z.union([z.number(), secret])]) expect(cachingOf(field)).toBe("no-cache, no-store");
  expect(cachingOf(z.string())).toBeUndefined();
});

const tagOf = (response: AnyResponse) => String(render(response, event).headers?.ETag);
const versioned = { status: 202, body: { id: "1" }, version: "x1" };

test("the entity tag of a page is weak, and changes with the page's contents and link", () => {
  const tags = [
    tagOf({ status: 200, body: [], next: undefined }),
    tagOf({ status: 200, body: [{ id: "1" }], next: undefined }),
    tagOf({ status: 200, body: [{ id: "1" }], next: "1" }),
    tagOf({ status: 200, body: [{ id: "1" }], next: "2" }),
  ];
  for (const tag of tags) expect(tag).toMatch(/^W\/"[\w-]{16}"$/);
  expect(new Set(tags).size).toBe(tags.length);
  expect(tagOf({ status: 200, body: [{ id: "1", secret: "x" }], next: "1" })).toBe(tags[2]);
});

test("a matching entity tag results in a 304, and any other tag leaves the response unchanged", () => {
  for (const named of ['"x1"', 'W/"x1"', '"a", "x1"', '"a" , W/"x1","b"', "*", " * "]) {
    const headers = { ETag: '"x1"', "Content-Type": "application/json" };
    expect(render(versioned, askedWith(named)), named).toEqual({ statusCode: 304, headers });
  }
  for (const other of ['"x"', "x1", '"x1', '"X1"', "", 'W/"x1x"', '"*"', "**"])
    expect(render(versioned, askedWith(other)).statusCode, other).toBe(202);
});

test("a 304 of a page includes its link to the next page and Vary", () => {
  const page = { status: 200, body: [{ id: "1" }], next: "1" };
  const { headers } = render(page, event);
  const kept = { ETag: headers?.ETag, Link: headers?.Link, Vary: "Accept-Encoding" };
  const response = { statusCode: 304, headers: { "Content-Type": "application/json", ...kept } };
  expect(render(page, askedWith(tagOf(page)))).toEqual(response);
});

test("only a GET gets a 304 if its If-None-Match contains the entity tag", () => {
  const replaced = responseRenderer(
    { method: "PUT", responses: { 200: { description: "Done.", body: z.object({}), versioned: true } } },
    "v7",
  )({ status: 200, body: {}, version: "x1" }, askedWith('"x1"'));
  expect(replaced).toMatchObject({ statusCode: 200, headers: { ETag: '"x1"' } });
});

const linkOf = (of: Partial<typeof event>) => {
  const { headers } = render({ status: 200, body: [], next: "after" }, { ...event, ...of });
  return String(headers?.Link);
};
const cursor = `cursor=${Buffer.from("after").toString("base64url")}`;

test("the link to the next page repeats the request with another cursor, and is absent on the last page", () => {
  const link = `</api/v7/thing?limit=2&other=x&${cursor}>; rel="next"`;
  expect(linkOf({ rawQueryString: "limit=2&other=x&cursor=old" })).toBe(link);
  expect(render({ status: 200, body: [], next: undefined }, event).headers).not.toHaveProperty("Link");
});

test("the link to the next page encodes the path that the gateway decoded", () => {
  expect(linkOf({ rawPath: '/api/v7/ü">/\ud800' })).toBe(`</api/v7/%C3%BC%22%3E/%EF%BF%BD?${cursor}>; rel="next"`);
});

test("the link to the next page omits unknown parameters that would make it too long", () => {
  const short = `x=${"y".repeat(4_096 - `limit=2&x=&${cursor}`.length)}`;
  expect(linkOf({ rawQueryString: `limit=2&${short}` })).toContain(short);
  expect(linkOf({ rawQueryString: `limit=2&${short}y` })).toBe(`</api/v7/thing?limit=2&${cursor}>; rel="next"`);
});
