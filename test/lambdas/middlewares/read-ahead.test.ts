import middy from "@middy/core";
import { expect, test, vi } from "vitest";
import { ApiError } from "../../../lambdas/errors/api-error.ts";
import { readAhead } from "../../../lambdas/middlewares/read-ahead.ts";
import type { ApiEvent, ApiResponse, Middleware } from "../../../lambdas/middlewares/request.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { newToken } from "../../../tools/support/tokens.ts";
import { author } from "../../support/authors.ts";

/** One environment with room for two callers, and a token check that admits everybody except those in `refused`. */
const serve = (start: (event: ApiEvent) => Promise<{ status: number }> | undefined = async () => ({ status: 200 })) => {
  const started = vi.fn(start);
  const refused = new Map<string, ApiError>();
  const { record } = newToken();
  const check: Middleware = {
    before: ({ event }) => {
      const refusal = refused.get(event.headers["x-token"] ?? "");
      if (refusal && refusal.code !== "rate_limited") throw refusal;
      event.caller = { token: record, ip: record.ip, author };
      if (refusal) throw refusal;
    },
  };
  const chain = middy<ApiEvent, ApiResponse, unknown>()
    .use(readAhead({ start: started, maxCallers: 2 }))
    .use(check)
    .handler(async (event) => ({ statusCode: (await event.work)?.status ?? 299 }));
  /** Whether the work of the call was started early. */
  const isAhead = async (token: string, sourceIp = "198.51.100.7"): Promise<boolean> => {
    started.mockClear();
    await chain(apiEvent({ headers: { "x-token": token }, sourceIp }), lambdaContext).catch(() => undefined);
    return started.mock.calls.length > 0;
  };
  return { isAhead, refused };
};

test("a caller is known from the second call on, but only with the same token from the same address", async () => {
  const { isAhead } = serve();
  expect(await isAhead("one")).toBe(false);
  expect(await isAhead("one")).toBe(true);
  expect(await isAhead("one", "203.0.113.9")).toBe(false);
  expect(await isAhead("two")).toBe(false);
});

test("only the most recent callers are remembered, and each call renews that", async () => {
  const { isAhead } = serve();
  for (const token of ["one", "two", "one", "three"]) await isAhead(token);
  expect(await isAhead("one")).toBe(true);
  expect(await isAhead("two")).toBe(false);
});

test.each([new ApiError("token_revoked"), new ApiError("rate_limited")])(
  "a caller who is refused is forgotten: $code",
  async (refusal) => {
    const { isAhead, refused } = serve();
    await isAhead("one");
    refused.set("one", refusal);
    expect(await isAhead("one")).toBe(true);
    expect(await isAhead("one")).toBe(false);
    refused.clear();
    await isAhead("one");
    expect(await isAhead("one")).toBe(true);
  },
);

test("a caller stays known if the work fails, or if the input is not valid", async () => {
  const failing = serve(async () => {
    throw new ApiError("key_not_found");
  });
  for (const isKnown of [false, true, true]) expect(await failing.isAhead("one")).toBe(isKnown);

  const invalid = serve(() => undefined);
  for (const isKnown of [false, true, true]) expect(await invalid.isAhead("one")).toBe(isKnown);
});

test("a refusal waits until work that has been started has ended", async () => {
  const order: string[] = [];
  const { isAhead, refused } = serve(async () => {
    await new Promise(setImmediate);
    order.push("work ended");
    return { status: 200 };
  });
  await isAhead("one");
  order.length = 0;
  refused.set("one", new ApiError("token_revoked"));
  await isAhead("one");
  order.push("response");
  expect(order).toEqual(["work ended", "response"]);
});

test("work that fails for a refused caller does not cause an unhandled rejection", async () => {
  const unhandled = vi.fn();
  process.once("unhandledRejection", unhandled);
  const { isAhead, refused } = serve(async () => {
    throw new Error("no database");
  });
  await isAhead("one");
  refused.set("one", new ApiError("token_revoked"));
  await isAhead("one");
  await new Promise(setImmediate);
  expect(unhandled).not.toHaveBeenCalled();
  process.off("unhandledRejection", unhandled);
});
