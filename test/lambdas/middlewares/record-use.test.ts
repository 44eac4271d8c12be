import middy from "@middy/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { ApiEvent, ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { recordUse } from "../../../lambdas/middlewares/verify-token.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { inMs, newToken } from "../../../tools/support/tokens.ts";
import { author } from "../../support/authors.ts";
import { captureLog } from "../support/captured-log.ts";
import { runBefore } from "../support/run-before.ts";

const minuteMs = 60_000;

/** A function with the middleware, a store that keeps the recorded uses, and a caller for each token. */
const serve = (store: (tokenId: string, usedAt: string) => Promise<void> = async () => {}) => {
  const recorded = vi.fn(store);
  const work = vi.fn(async (): Promise<ApiResponse> => ({ statusCode: 200 }));
  const chain = middy<ApiEvent, ApiResponse, unknown>()
    .use(recordUse({ tokens: { recordUse: recorded } }))
    .handler(work);
  const request = (token: TokenRecord) =>
    chain({ ...apiEvent(), caller: { token, ip: token.ip, author } }, lambdaContext) as Promise<ApiResponse>;
  return { recorded, work, request };
};

const tokenUsed = (agoMs?: number) => newToken(agoMs === undefined ? {} : { last_used_at: inMs(-agoMs) }).record;

describe("a use is recorded", () => {
  test.for([
    ["never", undefined, 1],
    ["more than five minutes ago", 5 * minuteMs + 1_000, 1],
    ["less than five minutes ago", 5 * minuteMs - 1_000, 0],
    ["a moment ago", 0, 0],
    ["in the future, according to another clock", -minuteMs, 0],
  ] as const)("of a token that was last used %s: %i, %i times", async ([, agoMs, times]) => {
    const { recorded, request } = serve();
    const token = tokenUsed(agoMs);
    await request(token);
    expect(recorded.mock.calls.map(([id]) => id)).toEqual(Array(times).fill(token.token_id));
  });

  test("in parallel with the request's own work, and before the answer", async () => {
    const order: string[] = [];
    const worked = Promise.withResolvers<void>();
    const { work, request } = serve(async () => {
      order.push("recording");
      await worked.promise;
      order.push("recorded");
    });
    work.mockImplementation(async () => {
      order.push("work");
      return { statusCode: 200 };
    });
    const answer = request(tokenUsed()).then(() => order.push("answer"));
    await new Promise(setImmediate);
    worked.resolve();
    await answer;
    expect(order).toEqual(["recording", "work", "recorded", "answer"]);
  });

  test("exactly five minutes after the last one", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const { recorded, request } = serve();
    await request(tokenUsed(5 * minuteMs));
    expect(recorded).toHaveBeenCalledOnce();
  });

  test("however recent the last one is, while the text of the token can still be derived again", async () => {
    const { recorded, request } = serve();
    await request({ ...tokenUsed(0), repeat_nonce: "nonce" });
    expect(recorded).toHaveBeenCalledOnce();
  });

  test("even if the request is refused later", async () => {
    const { recorded, work, request } = serve();
    work.mockRejectedValue(new Error("invalid"));
    await expect(request(tokenUsed())).rejects.toThrow("invalid");
    expect(recorded).toHaveBeenCalledOnce();
  });

  test("before a refusal is answered", async () => {
    const order: string[] = [];
    const { work, request } = serve(async () => {
      await new Promise(setImmediate);
      order.push("recorded");
    });
    work.mockRejectedValue(new Error("invalid"));
    await request(tokenUsed()).catch(() => order.push("answer"));
    expect(order).toEqual(["recorded", "answer"]);
  });
});

test("a request without a caller is no use of a token", async () => {
  const recorded = vi.fn();
  const event = await runBefore(recordUse({ tokens: { recordUse: recorded } }), apiEvent());
  expect(event).not.toHaveProperty("recording");
  expect(recorded).not.toHaveBeenCalled();
});

describe("a use that cannot be recorded", () => {
  test("does not fail the request, and the log has the cause", async () => {
    const log = captureLog();
    const { request } = serve(async () => {
      throw new Error("no database");
    });
    const token = tokenUsed();
    expect(await request(token)).toEqual({ statusCode: 200 });
    expect(log.lines()).toEqual([
      {
        level: "WARN",
        message: "use_not_recorded",
        token_id: token.token_id,
        cause: expect.stringContaining("no database"),
      },
    ]);
  });

  test("is not retried with each request, but after a while", async () => {
    captureLog();
    const { recorded, request } = serve(async () => {
      throw new Error("no database");
    });
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const calls = async () => {
      await request(tokenUsed());
      return recorded.mock.calls.length;
    };
    expect([await calls(), await calls()]).toEqual([1, 1]);
    vi.advanceTimersByTime(5 * minuteMs - 1);
    expect(await calls()).toBe(1);
    await request({ ...tokenUsed(), repeat_nonce: "nonce" });
    expect(recorded, "what a text can be derived from must not stay").toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(5 * minuteMs);
    expect(await calls()).toBe(3);
  });
});
