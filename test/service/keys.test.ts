import { beforeAll, describe, expect, test } from "vitest";
import { sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const code = (character: string): string => character.repeat(64);

let count = 0;
const newId = (): string => `key ${++count}`;

const create = (key_id: string, v_code = code("a")) =>
  service.call("POST", "/api/v1/key", { form: { key_id, v_code } });

const pathOf = (keyId: string): string => `/api/v1/key/${encodeURIComponent(keyId)}`;

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("POST /key", () => {
  test("stores a new key and returns its location", async () => {
    const key_id = newId();
    const answer = await create(key_id);

    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(pathOf(key_id));
    expect(answer.json()).toEqual({ key_id, v_code: code("a"), created_at: time, updated_at: time });
    expect((await service.call("GET", answer.headers.location ?? "")).json()).toEqual(answer.json());
  });

  test("returns the stored key when the same pair is sent again", async () => {
    const key_id = newId();
    const first = await create(key_id);
    const again = await create(key_id);

    expect(again.status).toBe(200);
    expect(again.headers.location).toBeUndefined();
    expect(again.json()).toEqual(first.json());
  });

  test("refuses a key_id that is taken by another v_code, and keeps what is stored", async () => {
    const key_id = newId();
    await create(key_id);
    const answer = await create(key_id, code("b"));

    expect(answer.status).toBe(422);
    expect(answer.json()).toEqual({ key_id: ["The key_id has already been taken."] });
    expect((await service.call("GET", pathOf(key_id))).json()).toMatchObject({ v_code: code("a") });
  });

  test("lets exactly one of two simultaneous creates of one key_id win", async () => {
    for (let round = 0; round < 10; round += 1) {
      const key_id = newId();
      const answers = await Promise.all([..."abcdef"].map((character) => create(key_id, code(character))));

      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 422, 422, 422, 422, 422]);
      const winner = answers.find(({ status }) => status === 201);
      expect((await service.call("GET", pathOf(key_id))).text).toBe(winner?.text);
    }
  });

  test("counts the characters of a v_code as Unicode code points", async () => {
    expect((await create(newId(), "🔑".repeat(64))).status).toBe(201);
    expect((await create(newId(), "🔑".repeat(32))).status).toBe(422);
  });

  test("accepts a number as the key_id and returns it as text", async () => {
    const answer = await service.call("POST", "/api/v1/key", { form: `key_id=1234567&v_code=${code("a")}` });

    expect(answer.json()).toMatchObject({ key_id: "1234567" });
  });

  test.each([
    ["nothing", "", { key_id: ["The key_id field is required."], v_code: ["The v_code field is required."] }],
    ["a short v_code", `key_id=1&v_code=${"a".repeat(63)}`, { v_code: ["The v_code must be 64 characters."] }],
    ["a long v_code", `key_id=1&v_code=${"a".repeat(65)}`, { v_code: ["The v_code must be 64 characters."] }],
    ["an empty v_code", "key_id=1&v_code=", { v_code: ["The v_code must be 64 characters."] }],
    ["an empty key_id", `key_id=&v_code=${code("a")}`, { key_id: ["The key_id must be 1 to 255 characters."] }],
    [
      "a control character",
      `key_id=a%00b&v_code=${code("a")}`,
      { key_id: ["The key_id must not contain control characters."] },
    ],
    [
      "a question mark, which no path could carry",
      `key_id=a?b&v_code=${code("a")}`,
      { key_id: ["The key_id must not contain a question mark."] },
    ],
    [
      "a percent sign, which a gateway could decode once more",
      `key_id=a%252Fb&v_code=${code("a")}`,
      { key_id: ["The key_id must not contain a percent sign."] },
    ],
    [
      "dots that would disappear from a path",
      `key_id=..&v_code=${code("a")}`,
      { key_id: ["The key_id must not be one or two dots."] },
    ],
    [
      "everything wrong at once",
      `key_id=${"%07".repeat(256)}&v_code=x`,
      {
        key_id: ["The key_id must be 1 to 255 characters.", "The key_id must not contain control characters."],
        v_code: ["The v_code must be 64 characters."],
      },
    ],
    [
      "a field sent twice",
      `key_id=1&v_code=${code("a")}&v_code=${code("a")}`,
      { v_code: ["The v_code must be sent once."] },
    ],
  ])("refuses %s with a message for each invalid field", async (_, form, messages) => {
    const answer = await service.call("POST", "/api/v1/key", { form });

    expect(answer.status).toBe(422);
    expect(answer.json()).toEqual(messages);
  });

  test("ignores a field that it does not know", async () => {
    const form = `key_id=${encodeURIComponent(newId())}&v_code=${code("a")}&created_at=1999&__proto__=x`;
    expect((await service.call("POST", "/api/v1/key", { form })).status).toBe(201);
  });
});

describe("the body of POST and PUT", () => {
  const post = (body: string, contentType?: string) =>
    service.call("POST", "/api/v1/key", {
      form: body,
      headers: contentType === undefined ? {} : { "content-type": contentType },
    });

  test.each([
    "application/json",
    "multipart/form-data; boundary=x",
    "text/plain",
    "",
    "application/x-www-form-urlencoded; charset=latin1",
  ])("is refused as %j", async (contentType) => {
    const answer = await post(`key_id=1&v_code=${code("a")}`, contentType);

    expect(answer.status).toBe(415);
    expect(answer.json()).toMatchObject({ code: "unsupported_media_type" });
  });

  test("is accepted with the charset UTF-8", async () => {
    const form = `key_id=${encodeURIComponent(newId())}&v_code=${code("a")}`;
    expect((await post(form, "Application/X-WWW-Form-Urlencoded; charset=UTF-8")).status).toBe(201);
  });

  test.each(["key_id=%", "key_id=%zz", "key_id=%ff", "key_id=%c0%80"])(
    "is refused when its encoding is malformed: %s",
    async (body) => {
      const answer = await post(body);

      expect(answer.status).toBe(400);
      expect(answer.json()).toMatchObject({ code: "malformed_form" });
    },
  );

  test("is refused above 16 KiB and not at 16 KiB", async () => {
    const sized = (bytes: number) => `pad=${"x".repeat(bytes - 4)}`;

    expect((await post(sized(16 * 1024))).status).toBe(422);
    const answer = await post(sized(16 * 1024 + 1));
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({ code: "content_too_large" });
  });

  test("is not checked before the token is verified", async () => {
    const answer = await service.call("POST", "/api/v1/key", {
      token: null,
      form: "x",
      headers: { "content-type": "text/plain" },
    });

    expect(answer.json()).toMatchObject({ code: "token_missing" });
  });
});

describe("GET, PUT and DELETE /key/{key_id}", () => {
  test("answer 404 for a missing key", async () => {
    const path = pathOf(newId());
    for (const [method, form] of [["GET"], ["PUT", { v_code: code("b") }], ["DELETE"]] as const) {
      const answer = await service.call(method, path, form ? { form } : {});

      expect(answer.status).toBe(404);
      expect(answer.json()).toMatchObject({ code: "key_not_found" });
    }
  });

  test.each([
    ["too long a key_id", "x".repeat(256)],
    ["far too long a key_id", "x".repeat(3000)],
    ["a control character", "a%00b"],
  ])("answer 404 for %s, which cannot exist", async (_, segment) => {
    const answer = await service.call("GET", `/api/v1/key/${segment}`);

    expect(answer.status).toBe(404);
    expect(answer.json()).toMatchObject({ code: "key_not_found" });
  });

  test.each(["é 🔑", "a+b=c&d", "a\\b", "a.b~c", "a/b", "<script>", "'\"`;--"])(
    "find the key named %j",
    async (key_id) => {
      await create(key_id);
      const answer = await service.call("GET", pathOf(key_id));

      expect(answer.status).toBe(200);
      expect(answer.json()).toMatchObject({ key_id });
    },
  );

  test("PUT replaces the v_code and keeps the creation time", async () => {
    const key_id = newId();
    const created = (await create(key_id)).json();
    const answer = await service.call("PUT", pathOf(key_id), { form: { v_code: code("b") } });

    expect(answer.status).toBe(200);
    expect(answer.json()).toEqual({ ...(created as object), v_code: code("b"), updated_at: time });
  });

  test("PUT refuses a v_code that is not 64 characters", async () => {
    const key_id = newId();
    await create(key_id);
    const answer = await service.call("PUT", pathOf(key_id), { form: { v_code: "x" } });

    expect(answer.status).toBe(422);
    expect(answer.json()).toEqual({ v_code: ["The v_code must be 64 characters."] });
  });

  test("DELETE answers 204 without a body, and 404 the second time", async () => {
    const key_id = newId();
    await create(key_id);
    const answer = await service.call("DELETE", pathOf(key_id));

    expect(answer.status).toBe(204);
    expect(answer.text).toBe("");
    expect((await service.call("DELETE", pathOf(key_id))).status).toBe(404);
  });
});

test("no v_code appears in the log", async () => {
  await create(newId(), "secret".padEnd(64, "s"));
  await create(newId(), "secret too short");

  expect(service.logged()).not.toContain("secret");
});
