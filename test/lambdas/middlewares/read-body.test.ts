import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readForm } from "../../../lambdas/middlewares/read-form.ts";
import { readBody, readJson } from "../../../lambdas/middlewares/read-json.ts";
import { ApiError } from "../../../lambdas/shared/errors/api-error.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { addBook } from "../../fixtures/library/books/add-book.ts";
import { changeBook } from "../../fixtures/library/books/change-book.ts";
import { anyText } from "../../kit/support/any-text.ts";
import { runBefore } from "../support/events.ts";
import { apiErrorOf } from "../support/outcomes.ts";

interface Kind {
  middleware: typeof readForm | typeof readJson;
  mediaType: string;
  /** Returns a body of this many bytes with one field, `v`. */
  ofLength: (bytes: number, character?: string) => string;
  malformed: string;
}

const padded =
  (before: string, after: string) =>
  (bytes: number, character = "a") => {
    const room = bytes - before.length - after.length;
    const whole = character.repeat(Math.floor(room / Buffer.byteLength(character)));
    return before + whole + "a".repeat(room - Buffer.byteLength(whole)) + after;
  };

const form: Kind = {
  middleware: readForm,
  mediaType: "application/x-www-form-urlencoded",
  ofLength: padded("v=", ""),
  malformed: "malformed_form",
};
const json: Kind = {
  middleware: readJson,
  mediaType: "application/json",
  ofLength: padded('{"v":"', '"}'),
  malformed: "malformed_json",
};

interface Sent {
  encoding?: string;
  contentType?: string | undefined;
  method?: string;
  base64?: boolean;
}

const send = (
  kind: Kind,
  body: string | Buffer | undefined,
  { method = "POST", base64 = Buffer.isBuffer(body), encoding, ...sent }: Sent = {},
) => {
  const contentType = "contentType" in sent ? sent.contentType : kind.mediaType;
  return runBefore(
    kind.middleware(),
    apiEvent({
      method,
      headers: {
        ...(contentType !== undefined && { "content-type": contentType }),
        ...(encoding !== undefined && { "content-encoding": encoding }),
      },
      isBase64Encoded: base64,
      ...(body !== undefined && { body: base64 ? Buffer.from(body).toString("base64") : String(body) }),
    }),
  );
};

const fieldsOf = async (...sent: Parameters<typeof send>) => Object((await send(...sent)).fields);
const codeOf = async (...sent: Parameters<typeof send>) => (await apiErrorOf(send(...sent))).code;

describe.each([form, json])("a body of the type $mediaType", (kind) => {
  const { mediaType, ofLength, malformed } = kind;
  const body = ofLength(20);

  test.for([
    mediaType,
    ` ${mediaType.toUpperCase()} `,
    `${mediaType};charset=utf-8`,
    `${mediaType}; charset=UTF-8`,
    `${mediaType};\tcharset = "utf-8"`,
    `${mediaType}; version=1; charset=utf-8`,
    `${mediaType};`,
  ])("is read in UTF-8: %j", async (contentType) => {
    expect(await fieldsOf(kind, body, { contentType })).toHaveProperty("v");
  });

  test("stays in the event as it arrived", async () => {
    expect(await send(kind, body, { base64: true })).toMatchObject({ body: btoa(body), isBase64Encoded: true });
  });

  test.for([
    ...[undefined, "", "text/plain", "multipart/form-data; boundary=x", `${mediaType}-seq`],
    ...[`text/plain; ${mediaType}`, `text/plain; x=${mediaType}`, `${mediaType}, text/plain`],
    ...["utf-16", "latin1", '"utf-16"', ""].map((charset) => `${mediaType}; charset=${charset}`),
    ...[`${mediaType};charset=utf-16`, `${mediaType}; charset = utf-16`, `${mediaType}; CHARSET=utf-16`],
  ])("is rejected if it has another type or another encoding: %j", async (contentType) => {
    expect(await codeOf(kind, body, { contentType })).toBe("unsupported_media_type");
  });

  test("is rejected if it is compressed", async () => {
    expect(await fieldsOf(kind, body, { encoding: "Identity" })).toHaveProperty("v");
    for (const encoding of ["gzip", "br", "identity, gzip"])
      expect(await codeOf(kind, body, { encoding }), encoding).toBe("unsupported_media_type");
  });

  test.for(["a", "é", "😀"])("is limited to exactly 16 KiB, measured as sent: %s", async (character) => {
    for (const base64 of [false, true]) {
      expect(await fieldsOf(kind, ofLength(16_384, character), { base64 })).toHaveProperty("v");
      expect(await codeOf(kind, ofLength(16_385, character), { base64 })).toBe("content_too_large");
    }
  });

  test("is rejected if its bytes are not UTF-8", async () => {
    for (const bytes of [[0xff], [0x80], [0xe2, 0x82], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      const [before = "", after = ""] = ofLength(20).split("a".repeat(8));
      const sent = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      expect(await codeOf(kind, sent), String(bytes)).toBe(malformed);
    }
  });
});

const text = anyText({ maxLength: 12 });
const name = fc.oneof(text, fc.constantFrom("__proto__", "constructor", "toString", "key_id", "a[]", "a.b", "\uFEFFa"));
const pairs = fc.array(fc.tuple(name, text), { minLength: 1, maxLength: 8 });
type Encode = (pairs: [string, string][]) => string;
const encoders = fc.constantFrom<Encode>(
  // Encoded like a browser's form, entirely percent-encoded, and as raw UTF-8.
  (pairs) => new URLSearchParams(pairs).toString(),
  (pairs) => pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&"),
  (pairs) => pairs.map((pair) => pair.map((part) => part.replace(/[%&=+]/g, encodeURIComponent)).join("=")).join("&"),
);

test("decodes a form in any encoding correctly, and keeps all values of a repeated field", async () => {
  await fc.assert(
    fc.asyncProperty(pairs, encoders, fc.boolean(), async (pairs, encode, base64) => {
      const expected = new Map<string, string | string[]>();
      for (const [name, value] of pairs)
        expected.set(name, expected.has(name) ? [expected.get(name) ?? [], value].flat() : value);
      expect(new Map(Object.entries(await fieldsOf(form, encode(pairs), { base64 })))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test("a form with a field named __proto__ does not change any prototype, and an empty form has no fields", async () => {
  for (const body of [undefined, ""]) expect(Object.keys(await fieldsOf(form, body))).toEqual([]);
  const fields = await fieldsOf(form, "__proto__=x&__proto__[polluted]=x&constructor[prototype][polluted]=x");
  expect(Object.keys(fields)).toHaveLength(3);
  for (const one of [{}, fields]) expect(one).not.toHaveProperty("polluted");
});

test("reads a form with up to 1000 fields, and rejects larger forms so that no field is lost", async () => {
  const fields = await fieldsOf(form, Array.from({ length: 1_000 }, (_, index) => `f${index}=x`).join("&"));
  expect(Object.keys(fields)).toHaveLength(1_000);
  expect(await codeOf(form, "x=&".repeat(1_000))).toBe("malformed_form");
  for (const count of [999, 1_000, 4_000]) {
    const outcome = await fieldsOf(form, `${"x=&".repeat(count)}v_code=last`).catch((error: unknown) => error);
    if (count === 999) expect(outcome).toHaveProperty("v_code", "last");
    else expect(outcome).toBeInstanceOf(ApiError);
  }
});

test.for([
  ...["a=%", "a=%4", "a=%zz", "%=a", "a=100%&b=1", "a=%u0041"],
  ...["%80", "%E2%82", "%C3&b=%A9", "%C0%AF", "%ED%A0%80", "%F4%90%80%80", "caf%E9"].map((value) => `a=${value}`),
])("a form with malformed percent-encoding is rejected: %s", async (body) => {
  for (const sent of [body, Buffer.from(body)]) expect(await codeOf(form, sent)).toBe("malformed_form");
});

test("rejects a form that contains JSON, and reads a form that only looks like JSON", async () => {
  for (const body of ['{"key_id": "1"}', ' \n["a"]', '{"a": "100%25"}'])
    expect(await codeOf(form, body), body).toBe("json_instead_of_form");
  for (const body of ["{=1", "%7B%22a%22%3A1%7D", "[a]=1"]) expect(await fieldsOf(form, body), body).toBeDefined();
});

test("any form is either rejected or decoded without a replacement character", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
      fc.pre(!isUtf8(bytes));
      expect(await codeOf(form, Buffer.from(bytes))).toBe("malformed_form");
    }),
  );
});

test("a JSON object, as text or in base64, becomes the fields of the request", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), async (fields, base64) => {
      const text = JSON.stringify(fields);
      fc.pre(text.length < 8_000);
      const read = await fieldsOf(json, text, { base64, method: base64 ? "PUT" : "POST" });
      expect(JSON.stringify(read)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test("rejects JSON that is not an object, and logs the syntax error as its cause", async () => {
  for (const text of ["", "{", "null", "7", '"text"', "[]", '{"a":1} x', "a=1"])
    expect(await codeOf(json, text), text).toBe("malformed_json");
  expect((await apiErrorOf(send(json, "{"))).cause).toBeInstanceOf(SyntaxError);
});

test.for([
  ["POST", ["application/json"], "application/merge-patch+json"],
  ["PATCH", ["application/merge-patch+json", "application/json"], "text/json"],
] as const)("says which types a %s takes", async ([method, mediaTypes, contentType]) => {
  const read = (type: string) =>
    runBefore(
      readBody({ ...changeBook, method }),
      apiEvent({ method, headers: { "content-type": type }, body: '{"v":1}' }),
    );
  const message = expect.stringContaining(`Send the body as ${mediaTypes.join(" or ")}, `);
  expect(await apiErrorOf(read(contentType))).toMatchObject({ status: 415, message });
  for (const type of mediaTypes) expect(await read(type)).toMatchObject({ fields: { v: 1 } });
});

test("a form is rejected with the type that the endpoint takes", async () => {
  const { message } = await apiErrorOf(send(form, "{}", { contentType: "application/json" }));
  expect(message).toContain("as application/x-www-form-urlencoded,");
});

test.each([
  ["the declared one", changeBook, 32],
  ["256 KiB without a declaration", addBook, 256],
] as const)("the maximum size of an endpoint's JSON body is %s, and the message says so", async (_, endpoint, size) => {
  const { method } = endpoint;
  const read = (bytes: number) =>
    runBefore(
      readBody(endpoint),
      apiEvent({ headers: { "content-type": json.mediaType }, method, body: json.ofLength(bytes) }),
    );
  expect(await read(size * 1024)).toHaveProperty("fields.v");
  const message = expect.stringContaining(`${size} KiB`);
  expect(await apiErrorOf(read(size * 1024 + 1))).toMatchObject({ status: 413, message });
});

test("a body may have 16 levels, and its members may have any name", async () => {
  const nested = (depth: number) => `${'{"__proto__":'.repeat(depth)}1${"}".repeat(depth)}`;
  const { fields } = await send(json, nested(16));
  expect(JSON.stringify(fields)).toBe(nested(16));
  for (const one of [{}, Object(fields)]) expect(one).not.toHaveProperty("polluted");
  for (const depth of [17, 1_000]) expect(await codeOf(json, nested(depth))).toBe("malformed_json");
  expect(await codeOf(json, `{"a":${"[".repeat(8_000)}${"]".repeat(8_000)}}`)).toBe("malformed_json");
});

test("rejects ambiguous JSON, and turns -0 into 0", async () => {
  const refusal = await apiErrorOf(send(json, '{"a":1,"lines":[{"n":1e400}],"a":2}'));
  expect(refusal).toMatchObject({
    status: 422,
    fields: { a: [expect.any(String)], "lines.0.n": [expect.any(String)] },
  });
  expect((await send(json, '{"n":-0,"m":[-0.0,"-0"]}')).fields).toStrictEqual({ n: 0, m: [0, "-0"] });
});

test.for(["GET", "DELETE"])("ignores the body of a %s request", async (method) => {
  expect(await fieldsOf(json, "not json", { method, contentType: "text/plain" })).toEqual({});
});
