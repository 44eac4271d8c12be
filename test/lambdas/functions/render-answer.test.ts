import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { answerRenderer } from "../../../lambdas/functions/render-answer.ts";

const render = answerRenderer(
  {
    query: z.object({ limit: z.string(), cursor: z.optional(z.string()) }),
    responses: {
      200: { description: "A page.", body: z.array(z.object({ id: z.string() })), paged: true },
      201: { description: "Created.", body: z.object({ id: z.string() }), location: true },
      204: { description: "Deleted." },
    },
  },
  "v7",
);
const event = { rawPath: "/api/v7/thing", rawQueryString: "" };

test("a body has the declared fields and no others", () => {
  expect(render({ status: 201, body: { id: "1", secret: "x" }, location: "/thing/1" }, event)).toEqual({
    statusCode: 201,
    headers: { "Content-Type": "application/json", Location: "/api/v7/thing/1" },
    body: '{"id":"1"}',
  });
});

test("a response that declares no body has none, whatever the handler returned", () => {
  expect(render({ status: 204, body: { secret: "x" } }, event)).toEqual({ statusCode: 204, headers: {} });
});

describe("the link to the next page", () => {
  const linkOf = (of: Partial<typeof event>) => {
    const { headers } = render({ status: 200, body: [], next: "after" }, { ...event, ...of });
    return String(headers?.Link);
  };
  const cursor = `cursor=${Buffer.from("after").toString("base64url")}`;

  test("is absent on the last page", () => {
    expect(render({ status: 200, body: [], next: undefined }, event).headers).not.toHaveProperty("Link");
  });

  test("is the same request with another cursor, as a relative reference", () => {
    expect(linkOf({ rawQueryString: "limit=2&other=x&cursor=old" })).toBe(
      `</api/v7/thing?limit=2&other=x&${cursor}>; rel="next"`,
    );
  });

  test("encodes the path that the gateway has decoded", () => {
    expect(linkOf({ rawPath: '/api/v7/ü">/\ud800' })).toBe(`</api/v7/%C3%BC%22%3E/%EF%BF%BD?${cursor}>; rel="next"`);
  });

  test("omits unknown parameters that would make it too long to send", () => {
    const short = `x=${"y".repeat(4_096 - `limit=2&x=&${cursor}`.length)}`;
    expect(linkOf({ rawQueryString: `limit=2&${short}` })).toContain(short);
    expect(linkOf({ rawQueryString: `limit=2&${short}y` })).toBe(`</api/v7/thing?limit=2&${cursor}>; rel="next"`);
  });
});
