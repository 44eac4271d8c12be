import { expect } from "vitest";
import { busy, found, scripted } from "../../../packages/client/test/support/scripted-service.ts";
import { type Behaviours, keyNamed } from "../support/behaviour.ts";

const created = found(keyNamed("a b"));

export const retries: Behaviours = {
  "sends the same request again after the number of seconds in Retry-After": async ({ open }) => {
    const { baseUrl, requests } = await scripted(busy(429, { "retry-after": "7" }), busy(503), created);
    const client = await open({ base_url: baseUrl });
    const { value, retries } = await client({ call: "create_key", key_id: "a b", v_code: "é&" });

    expect(value).toEqual(keyNamed("a b"));
    expect(requests).toHaveLength(3);
    for (const { method, url, headers, body } of requests) {
      expect({ method, url, body }).toEqual({
        method: "POST",
        url: "/api/v1/key",
        body: "key_id=a+b&v_code=%C3%A9%26",
      });
      expect(headers).toEqual(requests[0]?.headers);
    }
    expect(retries).toMatchObject([
      { status: 429, attempt: 1 },
      { status: 503, attempt: 2 },
    ]);
    expect(retries[0]?.milliseconds).toBeGreaterThanOrEqual(7_000);
    expect(retries[0]?.milliseconds).toBeLessThanOrEqual(7_500);
    expect(retries[1]?.milliseconds).toBeLessThanOrEqual(1_000);
  },

  "waits until the date in Retry-After": async ({ open }) => {
    const date = new Date(Date.now() + 9_000);
    const { baseUrl } = await scripted(busy(503, { "retry-after": date.toUTCString() }), found());
    const client = await open({ base_url: baseUrl });
    const { retries } = await client({ call: "pages" });

    expect(retries[0]?.milliseconds).toBeGreaterThan(6_000);
    expect(retries[0]?.milliseconds).toBeLessThanOrEqual(9_500);
  },

  "retries soon if Retry-After is missing, malformed or in the past": async ({ open }) => {
    for (const value of ["soon", "-1", "", "0", "Wed, 01 Jan 2020 00:00:00 GMT"]) {
      const { baseUrl } = await scripted(busy(503, { "retry-after": value }), found());
      const client = await open({ base_url: baseUrl });
      const { retries } = await client({ call: "pages" });
      expect(retries, value).toHaveLength(1);
      expect(retries[0]?.milliseconds, value).toBeLessThanOrEqual(500);
    }
  },

  "gives up after the last attempt, with its failure": async ({ open }) => {
    for (const attempts of [1, 3]) {
      const { baseUrl, requests } = await scripted(
        ...Array.from({ length: attempts }, () => busy(503, { "apigw-requestid": "Kf3" })),
      );
      const client = await open({ base_url: baseUrl, retry: { attempts } });
      const { failure, retries } = await client({ call: "pages" });

      expect(failure).toMatchObject({ kind: "ApiFailure", status: 503, code: "unknown", request_id: "Kf3" });
      expect(requests).toHaveLength(attempts);
      expect(retries).toHaveLength(attempts - 1);
    }
  },

  "makes four attempts unless told otherwise": async ({ open }) => {
    const { baseUrl, requests } = await scripted(...Array.from({ length: 5 }, () => busy(429)));
    const client = await open({ base_url: baseUrl });
    await client({ call: "get_token" });
    expect(requests).toHaveLength(4);
  },

  "fails at once if Retry-After is longer than it is willing to wait": async ({ open }) => {
    for (const [seconds, retry] of [
      ["3600", {}],
      ["31", {}],
      ["9".repeat(400), {}],
      ["2", { maximum_wait_milliseconds: 1_000 }],
    ] as const) {
      const { baseUrl, requests } = await scripted(busy(429, { "retry-after": seconds }));
      const client = await open({ base_url: baseUrl, retry });
      const { failure, retries } = await client({ call: "pages" });
      expect(failure?.status, seconds).toBe(429);
      expect(requests).toHaveLength(1);
      expect(retries).toEqual([]);
    }
  },

  "does not retry other failures": async ({ open }) => {
    for (const status of [400, 401, 403, 404, 408, 500, 502, 504]) {
      const { baseUrl, requests } = await scripted(busy(status, { "retry-after": "0" }));
      const client = await open({ base_url: baseUrl });
      expect((await client({ call: "pages" })).failure?.status).toBe(status);
      expect(requests).toHaveLength(1);
    }
  },
};
