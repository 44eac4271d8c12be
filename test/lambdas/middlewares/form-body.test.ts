import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ApiError } from "../../../lambdas/errors/api-error.ts";
import { formBody } from "../../../lambdas/middlewares/read-body.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { anyText } from "../../support/any-text.ts";
import { apiErrorOf } from "../support/rejection.ts";
import { runBefore } from "../support/run-before.ts";

const formType = "application/x-www-form-urlencoded";

interface Sent {
  contentType?: string | undefined;
  base64?: boolean;
}

const post = (
  body: string | Buffer | undefined,
  { contentType = formType, base64 = Buffer.isBuffer(body) }: Sent = {},
) =>
  runBefore(
    formBody(),
    apiEvent({
      method: "POST",
      headers: { "content-type": contentType },
      isBase64Encoded: base64,
      ...(body !== undefined && { body: base64 ? Buffer.from(body).toString("base64") : String(body) }),
    }),
  );

const fieldsOf = async (...sent: Parameters<typeof post>) => {
  const { body, isBase64Encoded } = await post(...sent);
  expect(isBase64Encoded).toBe(false);
  return body;
};

const refusalOf = async (...sent: Parameters<typeof post>) => {
  const { code, status } = await apiErrorOf(post(...sent));
  return { code, status };
};

const malformed = { code: "malformed_form", status: 400 };
const tooLarge = { code: "content_too_large", status: 413 };
const notAForm = { code: "unsupported_media_type", status: 415 };

describe("a form", () => {
  const text = anyText({ maxLength: 12 });
  const name = fc.oneof(
    text,
    fc.constantFrom("__proto__", "constructor", "toString", "key_id", "a[]", "a.b", "\uFEFFa"),
  );
  const pairs = fc.array(fc.tuple(name, text), { minLength: 1, maxLength: 8 });
  const encoders = {
    "a browser's": (pairs: [string, string][]) => new URLSearchParams(pairs).toString(),
    "percent for all": (pairs: [string, string][]) =>
      pairs.map((pair) => pair.map(encodeURIComponent).join("=")).join("&"),
    "raw UTF-8": (pairs: [string, string][]) =>
      pairs.map((pair) => pair.map((part) => part.replace(/[%&=+]/g, encodeURIComponent)).join("=")).join("&"),
  };

  test.for(Object.entries(encoders))(
    "in %s encoding is decoded correctly, and a repeated field has all its values",
    async ([, encode]) => {
      await fc.assert(
        fc.asyncProperty(pairs, fc.boolean(), async (pairs, base64) => {
          const expected = new Map<string, string[]>();
          for (const [name, value] of pairs) expected.set(name, [...(expected.get(name) ?? []), value]);

          const fields = await fieldsOf(encode(pairs), { base64 });

          expect(new Map(Object.entries(fields ?? {}))).toEqual(
            new Map([...expected].map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
          );
        }),
      );
    },
  );

  test("that is empty has no fields", async () => {
    expect(Object.keys((await fieldsOf(undefined)) ?? {})).toEqual([]);
    expect(Object.keys((await fieldsOf("")) ?? {})).toEqual([]);
  });

  test("with a field named __proto__ does not change a prototype", async () => {
    const fields = await fieldsOf("__proto__=x&__proto__[polluted]=x&constructor[prototype][polluted]=x");
    expect(Object.keys(fields ?? {})).toHaveLength(3);
    expect({}).not.toHaveProperty("polluted");
    expect(fields).not.toHaveProperty("polluted");
  });

  test("with 1000 fields is read, and one with more is refused", async () => {
    expect(
      Object.keys((await fieldsOf(Array.from({ length: 1_000 }, (_, index) => `f${index}=x`).join("&"))) ?? {}),
    ).toHaveLength(1_000);
    expect(await refusalOf("x=&".repeat(1_000))).toEqual(malformed);
  });

  test.for([999, 1_000, 2_000, 4_000])(
    "with %d fields and one more loses none of them or is refused",
    async (count) => {
      const outcome = await post(`${"x=&".repeat(count)}v_code=last`).then(
        ({ body }) => body,
        (error: unknown) => error,
      );
      if (outcome instanceof ApiError) expect(outcome.status).toBeLessThan(500);
      else expect(new Map(Object.entries(outcome ?? {})).get("v_code")).toBe("last");
    },
  );
});

describe("encoding that is malformed", () => {
  test.for(["a=%", "a=%4", "a=%zz", "%=a", "a=100%&b=1", "a=%u0041"])("in an escape is refused: %s", async (body) => {
    expect(await refusalOf(body)).toEqual(malformed);
    expect(await refusalOf(Buffer.from(body))).toEqual(malformed);
  });

  test.for([
    ["a lone continuation byte", "%80"],
    ["a sequence cut short", "%E2%82"],
    ["a sequence split by &", "%C3&b=%A9"],
    ["an overlong slash", "%C0%AF"],
    ["a surrogate", "%ED%A0%80"],
    ["beyond U+10FFFF", "%F4%90%80%80"],
    ["Latin-1", "caf%E9"],
  ] as const)("in its UTF-8 is refused, percent-encoded or raw: %s", async ([, value]) => {
    const raw = Buffer.from(
      value.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
      "latin1",
    );
    expect(await refusalOf(`a=${value}`)).toEqual(malformed);
    expect(await refusalOf(Buffer.concat([Buffer.from("a="), raw]))).toEqual(malformed);
  });

  test("is never misread: any bytes are either refused or decoded without a replacement character", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 40 }), async (bytes) => {
        const outcome = await post(Buffer.from(bytes)).then(
          ({ body }) => JSON.stringify(body),
          () => "refused",
        );
        if (!Buffer.from(bytes).toString("utf8").includes("\uFFFD")) return;
        expect(outcome).toBe("refused");
      }),
    );
  });
});

describe("the size of a form", () => {
  const limit = 16 * 1024;

  test.for(["a", "é", "😀"])(
    "is limited to exactly 16 KiB, counted in the bytes that are sent: %s",
    async (character) => {
      const room = limit - "v=".length;
      const full = `v=${character.repeat(Math.floor(room / Buffer.byteLength(character)))}`;
      const body = full + "a".repeat(limit - Buffer.byteLength(full));
      for (const base64 of [false, true]) {
        await expect(fieldsOf(body, { base64 })).resolves.toHaveProperty("v");
        expect(await refusalOf(`${body}a`, { base64 })).toEqual(tooLarge);
      }
    },
  );

  test("is checked before its encoding", async () => {
    expect(await refusalOf("%".repeat(limit + 1))).toEqual(tooLarge);
  });
});

describe("a content type", () => {
  test.for([
    formType,
    formType.toUpperCase(),
    `${formType};charset=UTF-8`,
    `${formType}; charset=utf-8`,
    `${formType} ; CHARSET="UTF-8"`,
    `${formType};`,
    ` ${formType} `,
  ])("of a form in UTF-8 is accepted: %s", async (contentType) => {
    await expect(fieldsOf("a=b", { contentType })).resolves.toEqual({ a: "b" });
  });

  test.for([
    "",
    "application/json",
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded-not",
    `text/plain; x=${formType}`,
    `${formType}, application/json`,
    `${formType}; charset=iso-8859-1`,
    `${formType}; charset=utf-16`,
    `${formType}; charset=`,
  ])("of anything else is refused: %s", async (contentType) => {
    expect(await refusalOf("a=b", { contentType })).toEqual(notAForm);
  });

  test("that is absent is refused", async () => {
    const event = apiEvent({ method: "POST", headers: {}, body: "a=b" });
    expect((await apiErrorOf(runBefore(formBody(), event))).code).toBe("unsupported_media_type");
  });
});
