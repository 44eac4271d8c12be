import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import { found, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import { freePort } from "../../../tools/support/free-port.ts";
import { type Behaviours, keyNamed, uncalled, vCode } from "../support/behaviour.ts";

const json = { "content-type": "application/json" };

/** A response of any kind. */
const answer =
  (status: number, headers: Record<string, string>, body: string | Buffer = "") =>
  (_: unknown, response: ServerResponse) =>
    void response.writeHead(status, headers).end(body);

const page = JSON.stringify([keyNamed("1")]);

export const failures: Behaviours = {
  "follows no redirect, so that the token is not sent elsewhere": async ({ open }) => {
    const elsewhere = await uncalled();
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `${elsewhere.baseUrl}/login`;
      const { baseUrl } = await scripted(answer(status, { location }), answer(status, { location }));
      const client = await open({ base_url: baseUrl });
      for (const call of [
        { call: "get_key", key_id: "1" },
        { call: "create_key", key_id: "1", v_code: vCode },
      ] as const) {
        expect((await client(call)).failure).toEqual({
          kind: "ApiFailure",
          status,
          code: "redirected",
          message: `${status} redirected: The service redirected to ${location}. Is the base URL right?`,
          request_id: null,
        });
      }
    }
    expect(elsewhere.requests).toHaveLength(0);
  },

  "fails for a success that is not from this API": async ({ open }) => {
    const { baseUrl } = await scripted(answer(200, { "content-type": "text/html" }, "<p>Welcome"));
    const client = await open({ base_url: baseUrl });

    expect((await client({ call: "pages" })).failure).toEqual({
      kind: "ApiFailure",
      status: 200,
      code: "unknown",
      message: "200 unknown: The response is not from this API: <p>Welcome. Is the base URL right?",
      request_id: null,
    });
  },

  "fails for a change that somebody else claims to have made": async ({ open }) => {
    const { baseUrl } = await scripted(answer(200, { "content-type": "text/html" }, "<p>Welcome"), answer(202, {}));
    const client = await open({ base_url: baseUrl });

    for (const status of [200, 202]) {
      const { failure } = await client({ call: "delete_key", key_id: "1" });
      expect(failure).toMatchObject({ kind: "ApiFailure", status, code: "unknown" });
    }
  },

  "shows the error of a gateway in its message, shortened": async ({ open }) => {
    const long = "x".repeat(1_000);
    const { baseUrl } = await scripted(
      answer(403, { ...json, "apigw-requestid": "Kf3" }, '{"message":"Forbidden"}'),
      answer(502, { "content-type": "text/html" }, long),
      answer(504, {}),
      answer(500, json, "[]"),
      answer(422, json, '{"message":"Unprocessable"}'),
    );
    const client = await open({ base_url: baseUrl });
    const message = async () => (await client({ call: "pages" })).failure?.message;

    expect(await message()).toBe(
      '403 unknown: The response is not from this API: {"message":"Forbidden"}. Is the base URL right? (request Kf3)',
    );
    expect(await message()).toContain(`: ${"x".repeat(200)}. Is`);
    expect(await message()).toContain(": it is empty. Is");
    expect(await message()).toContain(": []. Is");
    expect(await message()).toContain(': {"message":"Unprocessable"}. Is');
  },

  "fails for malformed JSON, without repeating the secrets in it": async ({ open }) => {
    for (const [status, text] of [
      [200, page.slice(0, -5)],
      [400, '{"code":"secret'],
      [422, "secret"],
    ] as const) {
      const { baseUrl } = await scripted(answer(status, json, text));
      const client = await open({ base_url: baseUrl });

      expect((await client({ call: "pages" })).failure).toEqual({
        kind: "ApiFailure",
        status,
        code: "unknown",
        message: `${status} unknown: The response is not from this API: its JSON is malformed. Is the base URL right?`,
        request_id: null,
      });
    }
  },

  "reads compressed responses, of success and of failure": async ({ open }) => {
    const compressed = { ...json, "content-encoding": "gzip" };
    const { baseUrl } = await scripted(
      answer(200, compressed, gzipSync(page)),
      answer(404, compressed, gzipSync('{"code":"key_not_found","message":"There is none."}')),
    );
    const client = await open({ base_url: baseUrl });

    expect((await client({ call: "pages" })).value).toEqual([[keyNamed("1")]]);
    expect((await client({ call: "pages" })).failure?.message).toBe("404 key_not_found: There is none.");
  },

  "takes no incomplete response for a complete one": async ({ open }) => {
    const compressed = gzipSync(page);
    for (const cutOff of [
      (_: unknown, response: ServerResponse) => void response.socket?.destroy(),
      (_: unknown, response: ServerResponse) =>
        void response
          .writeHead(200, { ...json, "content-length": String(page.length + 1) })
          .write(page, () => response.socket?.destroy()),
      (_: unknown, response: ServerResponse) =>
        void response.writeHead(200, json).write(page, () => response.socket?.destroy()),
      (_: unknown, response: ServerResponse) =>
        void response
          .writeHead(200, { ...json, "content-encoding": "gzip" })
          .write(compressed.subarray(0, -9), () => response.socket?.destroy()),
    ]) {
      const { baseUrl, requests } = await scripted(cutOff);
      const client = await open({ base_url: baseUrl });
      expect(await client({ call: "pages" }), String(cutOff)).toEqual({
        failure: { kind: "no response" },
        retries: [],
      });
      expect(requests).toHaveLength(1);
    }
  },

  "reports it if no connection can be made": async ({ open }) => {
    const client = await open({ base_url: `http://127.0.0.1:${await freePort()}` });
    expect(await client({ call: "get_token" })).toEqual({ failure: { kind: "no response" }, retries: [] });
  },

  "does not wait for a silent service longer than it is told to": async ({ open }) => {
    const { baseUrl } = await scripted(
      () => undefined,
      (_, response) => void response.writeHead(200, json).write(page),
    );
    const client = await open({ base_url: baseUrl, timeout_milliseconds: 200 });

    expect(await client({ call: "get_token" })).toEqual({ failure: { kind: "timeout" }, retries: [] });
    expect(await client({ call: "get_token" })).toEqual({ failure: { kind: "timeout" }, retries: [] });
  },

  "works on after a failure": async ({ open }) => {
    const { baseUrl } = await scripted((_, response) => void response.socket?.destroy(), found([]));
    const client = await open({ base_url: baseUrl });
    await client({ call: "pages" });
    expect((await client({ call: "pages" })).value).toEqual([[]]);
  },
};
