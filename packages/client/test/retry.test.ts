import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createIntegrationClient, type RetryOptions } from "../src/index.ts";
import { busy, failureOf, found, scripted } from "./support/scripted-service.ts";

describe("a busy service", () => {
  const clientOf = (baseUrl: string, retry: RetryOptions = {}) => {
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    return { waits, client: createIntegrationClient({ baseUrl, token: "itk_1", retry: { wait, ...retry } }) };
  };

  test("gets the same request again after the number of seconds in Retry-After", async () => {
    const { baseUrl, requests } = await scripted(busy(429, { "retry-after": "7" }), busy(503), found({}));
    const { client, waits } = clientOf(baseUrl);

    await client.POST("/api/v1/key", { body: { key_id: "a b", v_code: "&" } });

    expect(requests).toHaveLength(3);
    for (const request of requests) {
      expect(request).toMatchObject({
        method: "POST",
        url: "/api/v1/key",
        body: "key_id=a+b&v_code=%26",
        headers: {
          accept: "application/json",
          "x-token": "itk_1",
          "content-type": "application/x-www-form-urlencoded",
        },
      });
    }
    expect(waits[0]).toBeGreaterThanOrEqual(7_000);
    expect(waits[0]).toBeLessThanOrEqual(7_500);
    expect(waits[1]).toBeLessThanOrEqual(1_000);
  });

  test("gets the request again at the date in Retry-After", async () => {
    const later = new Date(Date.now() + 9_000).toUTCString();
    const { baseUrl } = await scripted(busy(503, { "retry-after": later }), found());
    const { client, waits } = clientOf(baseUrl);

    await client.GET("/api/v1/key");

    expect(waits[0]).toBeGreaterThan(6_000);
    expect(waits[0]).toBeLessThanOrEqual(9_500);
  });

  test.each(["soon", "-1", "Wed, 01 Jan 2020 00:00:00 GMT"])(
    "gets the request again soon if Retry-After is %j",
    async (value) => {
      const { baseUrl } = await scripted(busy(503, { "retry-after": value }), found());
      const { client, waits } = clientOf(baseUrl);

      await client.GET("/api/v1/key");

      expect(waits[0]).toBeLessThanOrEqual(500);
    },
  );

  test("is reported before each wait", async () => {
    const { baseUrl } = await scripted(busy(429), busy(503), found());
    const reported: unknown[] = [];
    const { client } = clientOf(baseUrl, { onRetry: ({ status, attempt }) => reported.push([status, attempt]) });

    await client.GET("/api/v1/key");

    expect(reported).toEqual([
      [429, 1],
      [503, 2],
    ]);
  });

  test("fails the call after the last attempt", async () => {
    const { baseUrl, requests } = await scripted(busy(503), busy(503), busy(503, { "apigw-requestid": "Kf3" }));
    const failure = await failureOf(clientOf(baseUrl, { attempts: 3 }).client.GET("/api/v1/key"));

    expect(failure).toMatchObject({ status: 503, code: "unknown", requestId: "Kf3" });
    expect(requests).toHaveLength(3);
  });

  test("fails the call at once if Retry-After is longer than the client is willing to wait", async () => {
    const { baseUrl, requests } = await scripted(busy(429, { "retry-after": "3600" }));
    const failure = await failureOf(clientOf(baseUrl).client.GET("/api/v1/key"));

    expect(failure).toMatchObject({ status: 429 });
    expect(requests).toHaveLength(1);
  });

  test("is not waited for once the caller has cancelled", async () => {
    const { baseUrl, requests } = await scripted(busy(503, { "retry-after": "20" }));
    const giveUp = new AbortController();
    const client = createIntegrationClient({
      baseUrl,
      token: "itk_1",
      retry: { onRetry: () => giveUp.abort(new Error("no longer needed")) },
    });
    const failure = await failureOf(client.GET("/api/v1/key", { signal: giveUp.signal }));

    expect(failure).toMatchObject({ message: "no longer needed" });
    expect(requests).toHaveLength(1);
  });

  test("is no longer waited for when the caller cancels, and no timer is left that would keep the process alive", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const giveUp = new AbortController();
    const fetch = async () => new Response(null, { status: 503, headers: { "retry-after": "20" } });
    const client = createIntegrationClient({ baseUrl: "https://a.example", token: "itk_1", fetch });
    const failure = failureOf(client.GET("/api/v1/key", { signal: giveUp.signal }));
    while (vi.getTimerCount() === 0) await Promise.resolve();
    giveUp.abort(new Error("no longer needed"));

    expect(await failure).toMatchObject({ message: "no longer needed" });
    expect(vi.getTimerCount()).toBe(0);
  });
});
