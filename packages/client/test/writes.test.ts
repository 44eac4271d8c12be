import { describe, expect, test } from "vitest";
import { ApiFailure, createIntegrationClient, PreconditionFailed } from "../src/index.ts";
import { busy, changed, failureOf, found, keyOf, scripted, unchanged } from "./support/scripted-service.ts";

const path = "/api/v1/key/{key_id}";
const params = { path: { key_id: "1" } };
const body = { v_code: "w".repeat(64) };
const tagged = found(keyOf("1"), { etag: '"a"' });

const scriptedClient = async (...answers: Parameters<typeof scripted>) => {
  const { baseUrl, requests } = await scripted(...answers);
  const options = { baseUrl, token: "itk_1", retry: { wait: async () => undefined } };
  const conditions = () => requests.map(({ headers }) => headers["if-match"]);
  return { client: createIntegrationClient(options), other: createIntegrationClient(options), requests, conditions };
};

describe("a change that names what it replaces", () => {
  test("is made only if that is unchanged", async () => {
    const { client, conditions } = await scriptedClient(tagged, found(keyOf("1"), { etag: '"b"' }), changed);
    const key = await client.GET(path, { params });
    await client.PUT(path, { params, body, ifUnchanged: key });
    const failure = await failureOf(client.DELETE(path, { params, ifUnchanged: key }));

    expect(conditions()).toEqual([undefined, '"a"', '"a"']);
    expect(failure).toBeInstanceOf(PreconditionFailed);
    expect(failure).toBeInstanceOf(ApiFailure);
    expect(failure).toMatchObject({ name: "PreconditionFailed", status: 412, code: "precondition_failed" });
  });

  test.each([
    ["was created", (client) => client.POST("/api/v1/key", { body: { key_id: "1", ...body } })],
    ["was replaced", (client) => client.PUT(path, { params, body })],
    ["was read", (client) => client.GET(path, { params })],
  ] satisfies [string, (client: ReturnType<typeof createIntegrationClient>) => Promise<unknown>][])(
    "may name a key that %s",
    async (_, call) => {
      const { client, conditions } = await scriptedClient(tagged, found(keyOf("1")));
      const key = await call(client);
      await client.PUT(path, { params, body, ifUnchanged: key });

      expect(conditions()).toEqual([undefined, '"a"']);
    },
  );

  test("may name a key that was remembered", async () => {
    const { client, conditions } = await scriptedClient(tagged, unchanged(), found(keyOf("1")));
    await client.GET(path, { params });
    const key = await client.GET(path, { params });
    await client.PUT(path, { params, body, ifUnchanged: key });

    expect(conditions()).toEqual([undefined, undefined, '"a"']);
  });

  test("may name an object that its caller has changed since", async () => {
    const { client, conditions } = await scriptedClient(tagged, found(keyOf("1")));
    const key = await client.GET(path, { params });
    Object.assign(key, { key_id: "2", v_code: body.v_code });
    await client.PUT(path, { params, body: { v_code: key.v_code }, ifUnchanged: key });

    expect(conditions()).toEqual([undefined, '"a"']);
  });

  test("names it again after the service was busy", async () => {
    const { client, conditions, requests } = await scriptedClient(tagged, busy(503), found(keyOf("1")));
    await client.PUT(path, { params, body, ifUnchanged: await client.GET(path, { params }) });

    expect(conditions()).toEqual([undefined, '"a"', '"a"']);
    expect(requests[2]?.body).toBe(requests[1]?.body);
  });
});

describe("a change that names what it replaces is refused before anything is sent", () => {
  const unreadOptions = { message: expect.stringContaining("that a call of this client returned"), name: "TypeError" };

  test("if the object is a copy", async () => {
    const { client, requests } = await scriptedClient(tagged);
    const copy = { ...(await client.GET(path, { params })) };

    expect(await failureOf(client.PUT(path, { params, body, ifUnchanged: copy }))).toMatchObject(unreadOptions);
    expect(await failureOf(client.DELETE(path, { params, ifUnchanged: copy }))).toMatchObject(unreadOptions);
    expect(requests).toHaveLength(1);
  });

  test("if the object was read by another client", async () => {
    const { client, other, requests } = await scriptedClient(tagged);
    const key = await other.GET(path, { params });

    expect(await failureOf(client.DELETE(path, { params, ifUnchanged: key }))).toMatchObject(unreadOptions);
    expect(requests).toHaveLength(1);
  });

  test("if the object is an item of a list, which has no version of its own", async () => {
    const { client, requests } = await scriptedClient(found([keyOf("1")], { etag: 'W/"a"' }));
    const [key] = await client.GET("/api/v1/key");
    expect.assert(key);

    expect(await failureOf(client.DELETE(path, { params, ifUnchanged: key }))).toMatchObject(unreadOptions);
    expect(requests).toHaveLength(1);
  });

  test("if the service sent no ETag, or a weak one, with the object", async () => {
    const { client, requests } = await scriptedClient(found(keyOf("1")), found(keyOf("1"), { etag: 'W/"a"' }));
    for (const _ of ["none", "weak"]) {
      const key = await client.GET(path, { params });
      expect(await failureOf(client.DELETE(path, { params, ifUnchanged: key }))).toMatchObject(unreadOptions);
    }

    expect(requests).toHaveLength(2);
  });

  test.each([undefined, null, "1"])("if it is %j instead of an object", async (ifUnchanged) => {
    const { client, requests } = await scriptedClient();
    // What code without types may pass.
    const options: object = { params, ifUnchanged };
    const failure = await failureOf(client.DELETE(path, { params, ...options }));

    expect(failure).toMatchObject(unreadOptions);
    expect(requests).toHaveLength(0);
  });

  test("if the object is another key than the one to change", async () => {
    const { client, requests } = await scriptedClient(tagged);
    const key = await client.GET(path, { params });
    const failure = await failureOf(client.DELETE(path, { params: { path: { key_id: "2" } }, ifUnchanged: key }));

    expect(failure).toMatchObject({
      name: "TypeError",
      message: "ifUnchanged is key_id 1, but the call is about key_id 2.",
    });
    expect(requests).toHaveLength(1);
  });
});

test("a change that names nothing is made in any case", async () => {
  const { client, conditions } = await scriptedClient(tagged, found(keyOf("1")), found(keyOf("1")));
  await client.GET(path, { params });
  await client.PUT(path, { params, body });
  await client.DELETE(path, { params });

  expect(conditions()).toEqual([undefined, undefined, undefined]);
});

test("a 412 that is not from this API is a failure, but not a PreconditionFailed", async () => {
  const { client } = await scriptedClient(busy(412));
  const failure = await failureOf(client.DELETE(path, { params }));

  expect(failure).toMatchObject({ status: 412, code: "unknown" });
  expect(failure).not.toBeInstanceOf(PreconditionFailed);
});
