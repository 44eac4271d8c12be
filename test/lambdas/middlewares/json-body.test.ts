import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonBody } from "../../../lambdas/middlewares/read-body.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { apiErrorOf } from "../support/rejection.ts";
import { runBefore } from "../support/run-before.ts";

interface Sent {
  contentType?: string | undefined;
  method?: string;
}

const send = (body: string | Buffer | undefined, { contentType = "application/json", method = "POST" }: Sent = {}) =>
  runBefore(
    jsonBody(),
    apiEvent({
      method,
      headers: { "content-type": contentType },
      isBase64Encoded: Buffer.isBuffer(body),
      ...(body !== undefined && { body: Buffer.isBuffer(body) ? body.toString("base64") : body }),
    }),
  );

const codeOf = async (...sent: Parameters<typeof send>) => (await apiErrorOf(send(...sent))).code;

test("an object, as text or in base64, becomes the fields of the request", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), async (fields, inBase64) => {
      const text = JSON.stringify(fields);
      fc.pre(text.length < 8_000);
      const { body } = await send(inBase64 ? Buffer.from(text) : text);
      expect(JSON.stringify(body)).toBe(JSON.stringify(JSON.parse(text)));
    }),
  );
});

test.for(["", "{", "null", "7", '"text"', "[]", '{"a":1} x', "a=1"])(
  "%o is refused: not a JSON object",
  async (text) => {
    expect(await codeOf(text)).toBe("malformed_json");
  },
);

test("a refusal has the syntax error as its cause, for the log", async () => {
  expect((await apiErrorOf(send("{"))).cause).toBeInstanceOf(SyntaxError);
});

test("bytes that are not UTF-8 are refused", async () => {
  expect(await codeOf(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toBe("malformed_json");
});

describe("a body", () => {
  test.for([undefined, "", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"])(
    "with the content type %o is refused",
    async (contentType) => {
      const event = apiEvent({
        method: "PUT",
        body: "{}",
        headers: contentType === undefined ? {} : { "content-type": contentType },
      });
      expect((await apiErrorOf(runBefore(jsonBody(), event))).code).toBe("json_required");
    },
  );

  test.for(["application/json", "Application/JSON; charset=utf-8", 'application/json;charset="UTF-8"'])(
    "with the content type %o is read",
    async (contentType) => {
      expect((await send('{"a":1}', { contentType })).body).toEqual({ a: 1 });
    },
  );

  test("may have 16 KiB and not one byte more", async () => {
    const ofLength = (bytes: number) => JSON.stringify({ a: "x".repeat(bytes - 8) });
    expect((await send(ofLength(16_384))).body).toHaveProperty("a");
    expect(await codeOf(ofLength(16_385))).toBe("content_too_large");
  });

  test.for(["GET", "DELETE"])("of a %s request is ignored", async (method) => {
    expect((await send("not json", { method, contentType: "text/plain" })).body).toBe("not json");
  });
});
