import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, sharedService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

let count = 0;
/** A new key: its path and the answer to its creation. */
const newKey = async () => {
  count += 1;
  const form = { key_id: `key ${count}`, v_code: "a".repeat(64) };
  const created = await service.call("POST", "/api/v1/key", { form });
  return { path: `/api/v1/key/${encodeURIComponent(form.key_id)}`, created, etag: String(created.headers.etag) };
};

const vCode = (character: string) => ({ v_code: character.repeat(64) });
const put = (path: string, character: string, ifMatch?: string) =>
  service.call("PUT", path, {
    form: vCode(character),
    headers: ifMatch === undefined ? {} : { "if-match": ifMatch },
  });
const remove = (path: string, ifMatch: string) => service.call("DELETE", path, { headers: { "if-match": ifMatch } });
const get = (path: string, ifNoneMatch: string) =>
  service.call("GET", path, { headers: { "if-none-match": ifNoneMatch } });

describe("the ETag of a key", () => {
  test("is strong, and the same from its creation, its repetition and each read", async () => {
    const { path, etag, created } = await newKey();
    expect(etag).toMatch(/^"[\da-z]+"$/);
    const form = created.json() as Record<string, string>;
    const again = await service.call("POST", "/api/v1/key", { form: { key_id: form.key_id ?? "", ...vCode("a") } });
    expect(again).toMatchObject({ status: 200, headers: { etag } });
    expect((await service.call("GET", path)).headers.etag).toBe(etag);
  });

  test("changes with each replacement, even by the same v_code, and when the key is created again", async () => {
    const { path, etag, created } = await newKey();
    const tags = [etag];
    for (const character of ["b", "b", "a"]) tags.push(String((await put(path, character)).headers.etag));
    await service.call("DELETE", path);
    const { key_id = "" } = created.json() as Record<string, string>;
    const again = await service.call("POST", "/api/v1/key", { form: { key_id, ...vCode("a") } });
    tags.push(String(again.headers.etag));
    expect(new Set(tags).size).toBe(tags.length);
  });
});

describe("If-None-Match", () => {
  const bodiless = (answer: Answer, etag: string | undefined) => {
    expect(answer).toMatchObject({ status: 304, text: "", headers: { etag, "cache-control": "no-cache" } });
    expect(answer.headers).toHaveProperty("x-request-id");
    // A cache takes it over. API Gateway would add the one of a text.
    expect(answer.headers["content-type"]).toBe("application/json");
  };

  test("makes a read of an unchanged key a 304 without a body", async () => {
    const { path, etag } = await newKey();
    for (const named of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) bodiless(await get(path, named), etag);
  });

  test("leads to the new key after a change", async () => {
    const { path, etag } = await newKey();
    await put(path, "b");
    expect(await get(path, etag)).toMatchObject({ status: 200, text: expect.stringContaining("bbb") });
  });

  test("makes the page of an unchanged list a 304 with its link, whatever the encoding, and any change a 200", async () => {
    for (let index = 0; index < 3; index += 1) await newKey();
    const read = (headers: Record<string, string>) => service.call("GET", "/api/v1/key?limit=2", { headers });
    const page = await read({ "accept-encoding": "gzip" });
    const { etag = "", link } = page.headers;
    expect(etag).toMatch(/^W\//);
    const unchanged = await read({ "if-none-match": etag });
    bodiless(unchanged, etag);
    expect(unchanged.headers).toMatchObject({ link, vary: "Accept-Encoding" });
    const [first] = page.json() as { key_id: string }[];
    await put(`/api/v1/key/${encodeURIComponent(String(first?.key_id))}`, "z");
    expect((await read({ "if-none-match": etag })).status).toBe(200);
  });

  test("does not spare a caller the token, nor a missing key its 404", async () => {
    const { path, etag } = await newKey();
    const headers = { "if-none-match": etag };
    expect((await service.call("GET", path, { headers, token: null })).status).toBe(401);
    await service.call("DELETE", path);
    expect((await get(path, "*")).status).toBe(404);
  });

  test("counts as a request of the token's limit", async () => {
    const { path, etag } = await newKey();
    const token = await service.issueToken("127.0.0.1", { rate_limit: 2 });
    const statuses: number[] = [];
    const headers = { "if-none-match": etag };
    for (let call = 0; call < 5; call += 1) statuses.push((await service.call("GET", path, { headers, token })).status);
    // A new minute may begin in between.
    expect(statuses.filter((status) => status === 304).length).toBeLessThan(5);
    expect(new Set(statuses)).toEqual(new Set([304, 429]));
  });
});

describe("If-Match", () => {
  const refused = { status: 412, headers: { "content-type": "application/json" } };

  test("lets a change of the key pass that was read", async () => {
    const { path, etag } = await newKey();
    const replaced = await put(path, "b", etag);
    expect(replaced.status).toBe(200);
    expect((await remove(path, String(replaced.headers.etag))).status).toBe(204);
  });

  test("refuses a change of a key that has changed since, and leaves it as it is", async () => {
    const { path, etag } = await newKey();
    await put(path, "b");
    const answer = await put(path, "c", etag);
    expect(answer).toMatchObject(refused);
    expect(answer.json()).toMatchObject({ code: "precondition_failed" });
    expect(await remove(path, etag)).toMatchObject(refused);
    expect((await service.call("GET", path)).json()).toMatchObject(vCode("b"));
  });

  test.for(["W/$", "$x", "x", "", "$-gzip", '"0"', '"zzzzzzzzzzzzzzzzzzzz"', '"*"', '"é"'])(
    "refuses %s in place of the ETag, because the comparison is strong",
    async (template) => {
      const { path, etag } = await newKey();
      const ifMatch = template.replace("$", etag);
      expect(await put(path, "b", ifMatch)).toMatchObject(refused);
      expect(await remove(path, ifMatch)).toMatchObject(refused);
      expect((await service.call("GET", path)).json()).toMatchObject(vCode("a"));
    },
  );

  test("accepts * and a list that contains the ETag", async () => {
    const { path, etag } = await newKey();
    expect((await put(path, "b", "*")).status).toBe(200);
    expect((await remove(path, etag)).status).toBe(412);
    const { headers } = await service.call("GET", path);
    expect((await put(path, "c", `"x", ${headers.etag}`)).status).toBe(200);
    expect((await remove(path, "*")).status).toBe(204);
  });

  test("lets a replacement be repeated whose answer was lost", async () => {
    const { path, etag } = await newKey();
    const first = await put(path, "b", etag);
    const second = await put(path, "b", etag);
    expect(second).toMatchObject({ status: 200, text: first.text, headers: { etag: first.headers.etag } });
  });

  test("on a missing key remains a 404", async () => {
    expect((await put("/api/v1/key/missing", "b", '"x"')).status).toBe(404);
    expect((await remove("/api/v1/key/missing", "*")).status).toBe(404);
  });

  test("lets exactly one of many clients replace what all have read", async () => {
    const { path, etag } = await newKey();
    const characters = [..."bcdefghi"];
    const statuses = (await Promise.all(characters.map((character) => put(path, character, etag)))).map(
      (a) => a.status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(characters.length - 1);
  });
});
