import { expect, test } from "vitest";
import * as z from "zod/mini";
import type { AnyResponse, ResponseDeclaration } from "../../../lambdas/declaration/responses.ts";
import { responseRenderer } from "../../../lambdas/endpoint/render-full-response.ts";

const event = { rawPath: "/api/v7/thing", rawQueryString: "", headers: {} };

const rendered = (
  declared: Omit<ResponseDeclaration, "description">,
  result: Omit<AnyResponse, "status">,
  headers: Record<string, string> = {},
) => {
  const responses = { 200: { description: "It.", ...declared } };
  return responseRenderer({ method: "GET", responses }, "v7")({ status: 200, ...result }, { ...event, headers });
};

const headers = {
  "X-Total": z.number(),
  "X-Note": z.optional(z.string()),
  "X-Last": z.optional(z.boolean()),
};

test("a response has its declared headers as text, and no others", () => {
  const response = rendered(
    { headers },
    { headers: { "X-Total": 0, "X-Last": false, "X-Other": "x", "X-Note": undefined } },
  );
  expect(response.headers).toEqual({ "X-Total": "0", "X-Last": "false" });
});

test.for(["a\r\nSet-Cookie: a=b", "a\nb", "a\rb", "a\0b", "ä", "a\u2028b", "a\tb", "\x7f", " a", "a "])(
  "a header with %j fails the response instead of splitting it",
  (value) => {
    expect(() => rendered({ headers }, { headers: { "X-Total": 1, "X-Note": value } })).toThrow(
      "The header X-Note has characters other than visible ASCII",
    );
  },
);

test.for(["", "a", 'a, b;c="d e"', "~!"])("a header can have the value %j", (value) => {
  expect(rendered({ headers }, { headers: { "X-Note": value } }).headers).toEqual({ "X-Note": value });
});

const location = { origins: ["https://a.example", "https://b.example:8443"] } as const;

test.for([
  ["https://a.example/x?y=z#w", "https://a.example/x?y=z#w"],
  ["https://a.example/ä \r\nSet-Cookie: a", "https://a.example/%C3%A4%20Set-Cookie:%20a"],
  ["https://b.example:8443/../x", "https://b.example:8443/x"],
  ["/thing/1", "/api/v7/thing/1"],
  ["//evil.example/", "/api/v7//evil.example/"],
])("a redirect to %j leads to %j", ([address, expected]) => {
  expect(rendered({ location }, { location: address }).headers).toMatchObject({ Location: expected });
});

test("caches do not store the address of a redirect to another origin", () => {
  const { headers } = rendered({ location }, { location: "https://a.example/x" });
  expect(headers).toMatchObject({ "Cache-Control": "no-cache, no-store" });
});

test.for([
  ...["https://evil.example/", "http://a.example/", "https://a.example.evil.example/", "https://a.example:444/"],
  ...["https://a.example@evil.example/", "https://user@a.example/", "https://:secret@a.example/", "https://b.example/"],
  ...["javascript:alert(1)", "data:text/html,x", "\\\\evil.example/", "https:/\\evil.example", "thing", "", " "],
])("a redirect to %j fails, and its address is not logged", (address) => {
  expect(() => rendered({ location }, { location: address })).toThrow(/^The response leads to [^@]*, which its/);
});

test.for<[string, ResponseDeclaration["media"] & string, unknown, string]>([
  ["bytes instead of text", "text/csv", new Uint8Array(1), "must be a string"],
  ["text instead of bytes", "application/pdf", "%PDF", "must be a Uint8Array"],
  ["no body", "application/pdf", undefined, "must be a Uint8Array"],
  [
    "more than 4 MB of text",
    "text/csv",
    "ä".repeat(2 ** 21 + 1),
    "The body has 4194306 bytes; the maximum is 4194304.",
  ],
  ["more than 4 MB", "image/png", new Uint8Array(2 ** 22 + 1), "The body has 4194305 bytes; the maximum is 4194304."],
])("fails a response with %s, for the log", ([, media, body, message]) => {
  expect(() => rendered({ media }, { body })).toThrow(message);
});

test("a download has its type and its name, runs nothing in a browser, and returns 304 to clients that have it", () => {
  const declared = { media: "text/csv", fileName: "a.csv", versioned: true } as const;
  const kept = { "Content-Type": "text/csv; charset=utf-8", ETag: '"7"' };
  expect(rendered(declared, { body: "ä", version: "7" })).toEqual({
    statusCode: 200,
    headers: {
      ...kept,
      "Content-Disposition": 'attachment; filename="a.csv"',
      "Content-Security-Policy": "default-src 'none'; sandbox",
    },
    body: "ä",
  });
  expect(rendered(declared, { body: "ä", version: "7" }, { "if-none-match": '"7"' })).toEqual({
    statusCode: 304,
    headers: { ...kept, Vary: "Accept-Encoding" },
  });
});

test("sends bytes as they are, up to 4 MB and also from a part of a buffer", () => {
  const whole = rendered({ media: "image/png" }, { body: new Uint8Array(2 ** 22) });
  expect(Buffer.from(String(whole.body), "base64")).toHaveLength(2 ** 22);
  const part = rendered({ media: "image/png" }, { body: Uint8Array.of(1, 2, 3, 4).subarray(1, 3) });
  expect(part).toMatchObject({ isBase64Encoded: true, body: "AgM=", headers: { "Content-Type": "image/png" } });
});
