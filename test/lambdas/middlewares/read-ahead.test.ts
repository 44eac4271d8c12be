import middy from "@middy/core";
import { describe, expect, test, vi } from "vitest";
import { ApiError } from "../../../lambdas/errors/api-error.ts";
import { readAhead } from "../../../lambdas/middlewares/read-ahead.ts";
import type { ApiEvent, ApiResponse, Middleware } from "../../../lambdas/middlewares/request.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { newToken } from "../../../tools/support/tokens.ts";
import { eventOf } from "../support/events.ts";

type Start = (event: ApiEvent) => Promise<{ status: number }> | undefined;

/** One environment with room for two callers, and a token check that admits everybody unless there is a refusal. */
const serve = (start: Start = async () => ({ status: 200 })) => {
  const started = vi.fn(start);
  let refusal: ApiError | undefined;
  const { caller } = eventOf(newToken().record);
  const check: Middleware = {
    before: ({ event }) => {
      if (refusal && refusal.code !== "rate_limited") throw refusal;
      Object.assign(event, { caller });
      if (refusal) throw refusal;
    },
  };
  const chain = middy<ApiEvent, ApiResponse, unknown>()
    .use(readAhead({ start: started, maxCallers: 2 }))
    .use(check)
    .handler(async (event) => ({ statusCode: (await event.work)?.status ?? 299 }));
  return {
    /** Whether the work of the call was started early. */
    async isAhead(token: string, sourceIp = "198.51.100.7"): Promise<boolean> {
      started.mockClear();
      await chain(apiEvent({ headers: { "x-token": token }, sourceIp }), lambdaContext).catch(() => undefined);
      return started.mock.calls.length > 0;
    },
    refuse(error: ApiError | undefined) {
      refusal = error;
    },
  };
};

test("only the most recent callers are remembered, and each call renews that", async () => {
  const { isAhead } = serve();
  for (const token of ["one", "two", "one", "three"]) await isAhead(token);
  expect([await isAhead("one"), await isAhead("two")]).toEqual([true, false]);
});

test.for<[string, Start]>([
  ["if the work fails", () => Promise.reject(new ApiError("key_not_found"))],
  ["if the input is not valid", () => undefined],
])("a caller stays known %s", async ([, start]) => {
  const { isAhead } = serve(start);
  for (const isKnown of [false, true, true]) expect(await isAhead("one")).toBe(isKnown);
});

describe("a caller who is refused", () => {
  test("waits until work that has been started has ended", async () => {
    const order: string[] = [];
    const { isAhead, refuse } = serve(async () => {
      await new Promise(setImmediate);
      order.push("work ended");
      return { status: 200 };
    });
    await isAhead("one");
    refuse(new ApiError("token_revoked"));
    await isAhead("one");
    order.push("response");
    expect(order).toEqual(["work ended", "response"]);
  });

  test("does not cause an unhandled rejection if the work fails", async () => {
    const unhandled = vi.fn();
    process.once("unhandledRejection", unhandled);
    const { isAhead, refuse } = serve(() => Promise.reject(new Error("no database")));
    await isAhead("one");
    refuse(new ApiError("token_revoked"));
    await isAhead("one");
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
    process.off("unhandledRejection", unhandled);
  });
});
