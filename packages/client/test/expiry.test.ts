import { afterEach, expect, test, vi } from "vitest";
import { createIntegrationClient } from "../src/index.ts";

const warn = vi.spyOn(console, "warn").mockReturnValue();
afterEach(() => warn.mockClear());

const baseUrl = "http://127.0.0.1:1";
const announcement = {
  "X-Token-Expires-At": "2026-12-03T10:15:30.123Z",
  "X-Token-Rotation": "POST /api/v1/token/rotation",
};
const page = (headers: Record<string, string> = announcement) => Response.json([], { headers });

test("a program that has not said what to do gets one line on its console", async () => {
  const client = createIntegrationClient({ baseUrl, token: "itk_1_secret", fetch: async () => page() });
  await client.GET("/api/v1/key");
  await client.GET("/api/v1/key");
  expect(warn.mock.calls).toEqual([
    [
      "The access token for the Integration API expires at 2026-12-03T10:15:30.123Z. " +
        "Call rotate() before then, and store the new token.",
    ],
  ]);
});

test("a callback gets the time as a date, and may be asynchronous and fail", async () => {
  const told: unknown[] = [];
  const failure = new Error("The mail was not sent.");
  const onTokenExpiring = async (expiring: unknown) => {
    told.push(expiring);
    throw failure;
  };
  const client = createIntegrationClient({ baseUrl, token: "itk_1", fetch: async () => page(), onTokenExpiring });
  expect(await client.GET("/api/v1/key")).toEqual([]);
  expect(told).toEqual([{ expiresAt: new Date("2026-12-03T10:15:30.123Z"), rotation: "POST /api/v1/token/rotation" }]);
  await expect.poll(() => warn.mock.calls).toEqual([["onTokenExpiring failed:", failure]]);
});

test("a late response to a token that has been replaced announces nothing", async () => {
  const late = Promise.withResolvers<Response>();
  const issued = {
    token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
    ip: "127.0.0.1",
    issued_at: "2026-11-21T10:15:30.123Z",
    expires_at: null,
    token: "itk_2",
  };
  const fetch = async ({ method }: Request): Promise<Response> =>
    method === "GET" ? late.promise : Response.json(issued, { status: 201 });
  const client = createIntegrationClient({ baseUrl, token: "itk_1", fetch });
  const reading = client.GET("/api/v1/key");
  await client.rotate({ graceSeconds: 60 });
  late.resolve(page());
  expect(await reading).toEqual([]);
  expect(warn).not.toHaveBeenCalled();
});
