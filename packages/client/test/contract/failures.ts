import type { RequestListener } from "node:http";
import { gzipSync } from "node:zlib";
import { expect } from "vitest";
import type { Call } from "./protocol.ts";
import { busy, cutOff, found, json, keyNamed, lost, raw, refused, reply, unchanged, vCode } from "./services.ts";
import type { Behaviours } from "./world.ts";

const page = JSON.stringify([keyNamed("1")]);
const html = { "content-type": "text/html" };
const compressed = { ...json, "content-encoding": "gzip" };

/** Responses from something other than this API, with the text that the failure shows of them. */
const foreign: [status: number, response: RequestListener, shown: string, requestId?: string][] = [
  [200, raw(200, "<p>Welcome", html), "<p>Welcome"],
  [304, unchanged(), "it is empty"],
  [403, reply(403, { message: "Forbidden" }, { "apigw-requestid": "Kf3" }), '{"message":"Forbidden"}', "Kf3"],
  [412, busy(412), '{"message":"Busy"}'],
  [422, reply(422, { message: "Unprocessable" }), '{"message":"Unprocessable"}'],
  [500, reply(500, []), "[]"],
  [502, raw(502, "x".repeat(1_000), html), "x".repeat(200)],
  [504, raw(504), "it is empty"],
  // Malformed JSON may contain secrets.
  [200, raw(200, page.slice(0, -5), json), "its JSON is malformed"],
  [400, raw(400, '{"code":"secret', json), "its JSON is malformed"],
  [422, raw(422, "secret", json), "its JSON is malformed"],
];

const incomplete: Record<string, RequestListener> = {
  "no response": lost,
  "less than its length": cutOff(200, { ...json, "content-length": String(page.length + 1) }, page),
  "no end": cutOff(200, json, page),
  "no end of its compression": cutOff(200, compressed, gzipSync(page).subarray(0, -9)),
};

export const failures: Behaviours = {
  "does not follow redirects, so the token is not sent elsewhere": async ({ scripted, uncalled }) => {
    const elsewhere = await uncalled();
    const location = `${elsewhere.baseUrl}/login`;
    for (const status of [301, 302, 303, 307, 308]) {
      const { client } = await scripted([raw(status, "", { location }), raw(status, "", { location })]);
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

  "fails if a response is not from this API, and shows the beginning of the response": async ({ scripted }) => {
    for (const [status, response, shown, request_id = null] of foreign) {
      const { client } = await scripted([response]);
      const request = request_id === null ? "" : ` (request ${request_id})`;
      expect((await client({ call: "pages" })).failure).toEqual({
        kind: "ApiFailure",
        status,
        code: "unknown",
        message: `${status} unknown: The response is not from this API: ${shown}. Is the base URL right?${request}`,
        request_id,
      });
    }
  },

  "fails if something other than the service confirms a deletion": async ({ scripted }) => {
    const { client } = await scripted([raw(200, "<p>Welcome", html), raw(202)]);
    for (const status of [200, 202]) {
      const { failure } = await client({ call: "delete_key", key_id: "1" });
      expect(failure).toMatchObject({ kind: "ApiFailure", status, code: "unknown" });
    }
  },

  "decompresses successful and failed responses": async ({ scripted }) => {
    const { client } = await scripted([
      raw(200, gzipSync(page), compressed),
      raw(404, gzipSync('{"code":"key_not_found","message":"There is none."}'), compressed),
    ]);
    expect((await client({ call: "pages" })).value).toEqual([[keyNamed("1")]]);
    expect((await client({ call: "pages" })).failure?.message).toBe("404 key_not_found: There is none.");
  },

  "fails if a response is incomplete, and keeps working": async ({ scripted }) => {
    for (const [name, response] of Object.entries(incomplete)) {
      const { client, requests } = await scripted([response, found()], { retry: { attempts: 1 } });
      const failed = { failure: { kind: "no response" }, retries: [] };
      expect(await client({ call: "pages" }), name).toEqual(failed);
      expect(requests).toHaveLength(1);
      expect((await client({ call: "pages" })).value).toEqual([[]]);
    }
  },

  "fails after the last attempt if it cannot connect": async (world) => {
    const unreachable = await world.open({ base_url: "http://127.0.0.1:1" });
    expect(await unreachable({ call: "get_token" })).toEqual({
      failure: { kind: "no response" },
      retries: [1, 2, 3].map((attempt) => ({ status: 0, attempt, milliseconds: expect.any(Number) })),
    });
  },

  "retries a call whose response was lost only if repeating it has the same effect": async (world) => {
    const key = { key_id: "1", v_code: vCode };
    for (const [call, isRepeated] of [
      [{ call: "get_token" }, true],
      [{ call: "get_key", key_id: "1" }, true],
      [{ call: "pages" }, true],
      [{ call: "create_key", ...key }, true],
      [{ call: "replace_key", ...key }, true],
      [{ call: "replace_key", ...key, if_unchanged: "read" }, false],
      [{ call: "delete_key", key_id: "1" }, false],
      [{ call: "delete_key", key_id: "1", if_unchanged: "read" }, false],
    ] as [Call, boolean][]) {
      const read = found(keyNamed("1"), { etag: '"a"' });
      const { client, requests } = await world.scripted([read, lost, cutOff(200, json, "["), refused(400, "arrived")]);
      await client({ call: "get_key", key_id: "1", keep: "read" });
      const { failure, retries } = await client(call);

      expect(failure, JSON.stringify(call)).toMatchObject(isRepeated ? { code: "arrived" } : { kind: "no response" });
      expect(retries.map(({ status }) => status)).toEqual(isRepeated ? [0, 0] : []);
      const [, first, ...others] = requests;
      expect(others).toEqual(isRepeated ? [first, first] : []);
    }
  },

  "retries the same request after the seconds in Retry-After": async ({ scripted }) => {
    const { client, requests } = await scripted([busy(429, { "retry-after": "7" }), busy(503), found(keyNamed("a b"))]);
    const { value, retries } = await client({ call: "create_key", key_id: "a b", v_code: "é&" });

    expect(value).toEqual(keyNamed("a b"));
    expect(requests).toHaveLength(3);
    const sent = { method: "POST", url: "/api/v1/key", body: "key_id=a+b&v_code=%C3%A9%26" };
    for (const request of requests) expect(request).toEqual({ ...sent, headers: requests[0]?.headers });
    expect(retries).toMatchObject([
      { status: 429, attempt: 1 },
      { status: 503, attempt: 2 },
    ]);
    expect(retries[0]?.milliseconds).toBeGreaterThanOrEqual(7_000);
    expect(retries[0]?.milliseconds).toBeLessThanOrEqual(7_500);
    expect(retries[1]?.milliseconds).toBeLessThanOrEqual(1_000);
  },

  "waits until the date in Retry-After by the service's clock, but not if it is missing, malformed or in the past":
    async (world) => {
      const date = "Wed, 01 Jan 2020 00:00:00 GMT";
      for (const [value, shortest, longest] of [
        ["Wed, 01 Jan 2020 00:00:09 GMT", 9_000, 9_500],
        ...["soon", "-1", "1.5", "", "0", "Tue, 31 Dec 2019 00:00:00 GMT"].map((past) => [past, 0, 500] as const),
      ] as const) {
        const { client } = await world.scripted([busy(503, { date, "retry-after": value }), found()]);
        const { retries } = await client({ call: "pages" });
        expect(retries, value).toHaveLength(1);
        expect(retries[0]?.milliseconds, value).toBeGreaterThanOrEqual(shortest);
        expect(retries[0]?.milliseconds, value).toBeLessThanOrEqual(longest);
      }
    },

  "gives up after the last attempt, if Retry-After exceeds its maximum wait, or after other errors": async ({
    scripted,
  }) => {
    for (const [attempts, status, seconds, retry] of [
      [1, 503, "0", { attempts: 1 }],
      [3, 503, "0", { attempts: 3 }],
      [4, 503, "0", {}],
      [1, 429, "3600", {}],
      [1, 429, "31", {}],
      [1, 429, "9".repeat(400), {}],
      [1, 429, "2", { maximum_wait_seconds: 1 }],
      ...[400, 401, 403, 404, 408, 500, 502, 504].map((status) => [1, status, "0", {}] as const),
    ] as const) {
      const response = busy(status, { "retry-after": seconds, "apigw-requestid": "Kf3" });
      const { client, requests } = await scripted(Array(5).fill(response), { retry });
      const { failure, retries } = await client({ call: "pages" });

      expect(failure, `${status} ${seconds}`).toMatchObject({ kind: "ApiFailure", status, request_id: "Kf3" });
      expect([requests.length, retries.length], `${status} ${seconds}`).toEqual([attempts, attempts - 1]);
    }
  },
};
