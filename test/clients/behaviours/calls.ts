import { expect } from "vitest";
import { type Behaviours, otherVCode, vCode } from "../support/behaviour.ts";
import { recorded } from "../support/recorder.ts";

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

export const calls: Behaviours = {
  "creates, reads, replaces and deletes a key with any name": async ({ open, service }) => {
    const { baseUrl, exchanges } = await recorded(service.baseUrl);
    const client = await open({ base_url: `${baseUrl}/` });
    const key_id = "é 🔑&+=//..\\;#/~*'()!:@,$|\"<>[]{}^`";
    const created = await client({ call: "create_key", key_id, v_code: vCode });
    const read = await client({ call: "get_key", key_id });
    const replaced = await client({ call: "replace_key", key_id, v_code: otherVCode });
    const deleted = await client({ call: "delete_key", key_id });

    const key = { key_id, v_code: vCode, created_at: time, updated_at: time };
    expect(created).toEqual({ value: key, retries: [] });
    expect(read).toEqual(created);
    expect(replaced).toEqual({ value: { ...key, v_code: otherVCode }, retries: [] });
    expect(deleted).toEqual({ value: null, retries: [] });
    expect(exchanges.map(({ method, status }) => [method, status])).toEqual([
      ["POST", 201],
      ["GET", 200],
      ["PUT", 200],
      ["DELETE", 204],
    ]);
  },

  "sends the token, what it accepts and its path with every call, and forms as forms": async ({
    open,
    service,
    token,
  }) => {
    const { baseUrl, exchanges } = await recorded(service.baseUrl);
    const client = await open({ base_url: baseUrl });
    await client({ call: "create_key", key_id: "a/b", v_code: vCode });
    await client({ call: "delete_key", key_id: "a/b" });
    await client({ call: "pages", limit: 1000 });
    await client({ call: "get_token" });

    expect(exchanges).toHaveLength(4);
    for (const { path, requestHeaders } of exchanges) {
      expect(requestHeaders).toMatchObject({ accept: "application/json", "x-token": token });
      expect(requestHeaders["x-sent-path"]).toBe(path.split("?")[0]);
      expect(requestHeaders["accept-encoding"]).toContain("gzip");
    }
    expect(exchanges.map(({ requestHeaders }) => requestHeaders["content-type"])).toEqual([
      "application/x-www-form-urlencoded",
      undefined,
      undefined,
      undefined,
    ]);
    expect(exchanges[1]?.path).toBe("/api/v1/key/a%2Fb");
  },

  "returns a pair that exists already as it was stored": async ({ open, service }) => {
    const client = await open();
    const first = await client({ call: "create_key", key_id: "pair", v_code: vCode });
    expect(await client({ call: "create_key", key_id: "pair", v_code: vCode })).toEqual(first);
    await service.call("DELETE", "/api/v1/key/pair");
  },

  "returns what the service knows about its token": async ({ open }) => {
    const client = await open();

    expect((await client({ call: "get_token" })).value).toEqual({
      token_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
      ip: "127.0.0.1",
      seen_ip: "127.0.0.1",
      issued_at: time,
      expires_at: expect.toBeOneOf([null, time]),
      expiring: null,
    });
  },

  "fails with every message for every field that is invalid": async ({ open }) => {
    const client = await open();
    const { failure } = await client({ call: "create_key", key_id: "a".repeat(256), v_code: "x" });

    expect(failure).toEqual({
      kind: "ValidationFailed",
      status: 422,
      code: "validation_failed",
      fields: { key_id: ["The key_id must be 1 to 255 characters."], v_code: ["The v_code must be 64 characters."] },
      message: `422 validation_failed: The key_id must be 1 to 255 characters. The v_code must be 64 characters. (request ${failure?.request_id})`,
      request_id: expect.stringMatching(/\S/),
    });
  },

  "fails for a key_id that is taken": async ({ open, service }) => {
    const client = await open();
    await client({ call: "create_key", key_id: "taken", v_code: vCode });
    const { failure } = await client({ call: "create_key", key_id: "taken", v_code: otherVCode });

    expect(failure).toMatchObject({
      kind: "ValidationFailed",
      fields: { key_id: ["The key_id has already been taken."] },
    });
    await service.call("DELETE", "/api/v1/key/taken");
  },

  "fails with the code, the message and the request id of the service, which is also in its log": async (world) => {
    const client = await world.open();
    for (const call of [
      { call: "get_key", key_id: "none" },
      { call: "replace_key", key_id: "none", v_code: vCode },
      { call: "delete_key", key_id: "none" },
    ] as const) {
      const { failure } = await client(call);
      expect(failure).toMatchObject({ kind: "ApiFailure", status: 404, code: "key_not_found" });
      expect(failure?.message).toMatch(/^404 key_not_found: [A-Z].+\. \(request \S+\)$/);
      expect(world.service.logged()).toContain(failure?.request_id);
    }
  },

  "fails for a token that is refused, without its text": async ({ open }) => {
    const client = await open({ token: "itk_nonsense" });
    const { failure } = await client({ call: "get_token" });

    expect(failure).toMatchObject({ kind: "ApiFailure", status: 401, code: "token_invalid" });
    expect(failure?.message).not.toContain("itk_");
  },
};
