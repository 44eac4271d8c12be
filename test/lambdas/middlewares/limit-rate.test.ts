import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError } from "../../../lambdas/errors/api-error.ts";
import { apiChain } from "../../../lambdas/functions/api-chain.ts";
import { limitRate } from "../../../lambdas/middlewares/limit-rate.ts";
import type { ApiEvent, ApiResponse } from "../../../lambdas/middlewares/request.ts";
import type { LimitStore } from "../../../lambdas/resources/limits/limits-table.ts";
import { apiEvent, lambdaContext } from "../../../tools/support/events.ts";
import { newToken } from "../../../tools/support/tokens.ts";
import { author } from "../../support/authors.ts";
import { captureLog } from "../support/captured-log.ts";
import { runBefore } from "../support/run-before.ts";

beforeEach(() => {
  captureLog();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-21T10:15:18.500Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A store in memory that behaves like the real one. */
const counted = () => {
  const counters = new Map<string, number>();
  return vi.fn<LimitStore["take"]>(async (tokenId, { minute, limit }) => {
    const key = `${tokenId}/${minute}`;
    const taken = (counters.get(key) ?? 0) + 1;
    if (taken > limit) return undefined;
    counters.set(key, taken);
    return taken;
  });
};

/** One environment of a function: the middleware in the common chain, before a handler. */
const serve = (take: LimitStore["take"]) => {
  const work = vi.fn(async (): Promise<ApiResponse> => ({ statusCode: 200 }));
  const chain = apiChain()
    .use(limitRate({ limits: { take } }))
    .handler(work);
  const request = async (token: ReturnType<typeof newToken>["record"]) => {
    const event: ApiEvent = { ...apiEvent(), caller: { token, ip: token.ip, author } };
    const { statusCode, headers = {} } = await chain(event, lambdaContext);
    return { status: statusCode, headers };
  };
  return { work, request };
};

const tokenLimitedTo = (rate_limit: number) => newToken({ rate_limit }).record;

test("a token without a limit is not counted, and gets no rate limit headers", async () => {
  const take = counted();
  const { headers } = await serve(take).request(newToken().record);
  expect(take).not.toHaveBeenCalled();
  expect(Object.keys(headers).join()).not.toMatch(/RateLimit|Retry-After/);
});

test("a request without a caller is not counted", async () => {
  const take = counted();
  const event = await runBefore(limitRate({ limits: { take } }), apiEvent());
  expect(event.answerHeaders).toBeUndefined();
  expect(take).not.toHaveBeenCalled();
});

describe("a token with a limit", () => {
  test("learns from each answer how many requests are left, and when the count starts again", async () => {
    const { request } = serve(counted());
    const token = tokenLimitedTo(2);
    const answers = [await request(token), await request(token), await request(token)];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers.map(({ headers }) => headers.RateLimit)).toEqual([
      '"token";r=1;t=42',
      '"token";r=0;t=42',
      '"token";r=0;t=42',
    ]);
    for (const { headers } of answers) expect(headers["RateLimit-Policy"]).toBe('"token";q=2;w=60');
    expect(answers.map(({ headers }) => headers["Retry-After"])).toEqual([undefined, undefined, "42"]);
  });

  test("learns it from errors, too", async () => {
    const { work, request } = serve(counted());
    work.mockRejectedValue(new ApiError("key_not_found"));
    expect(await request(tokenLimitedTo(2))).toMatchObject({ status: 404, headers: { RateLimit: '"token";r=1;t=42' } });
  });

  test("reaches no handler once the limit is used up, and calls the database only once", async () => {
    const take = counted();
    const { work, request } = serve(take);
    const token = tokenLimitedTo(3);
    for (let calls = 0; calls < 10; calls += 1) await request(token);
    expect(work).toHaveBeenCalledTimes(3);
    expect(take).toHaveBeenCalledTimes(3);
  });

  test("is counted only once if the limit has been used up elsewhere", async () => {
    const take = counted();
    const [one, other] = [serve(take), serve(take)];
    const token = tokenLimitedTo(3);
    for (let calls = 0; calls < 3; calls += 1) await one.request(token);
    for (let calls = 0; calls < 5; calls += 1) expect((await other.request(token)).status).toBe(429);
    expect(take).toHaveBeenCalledTimes(4);
  });

  test("is admitted again after the announced time", async () => {
    const { request } = serve(counted());
    const token = tokenLimitedTo(1);
    await request(token);
    const { headers } = await request(token);
    vi.advanceTimersByTime((Number(headers["Retry-After"]) - 1) * 1000);
    expect((await request(token)).status).toBe(429);
    vi.advanceTimersByTime(1000);
    expect((await request(token)).status).toBe(200);
  });

  test("is admitted in a new minute even if the count of the last one arrives late", async () => {
    const late = Promise.withResolvers<number | undefined>();
    const store = counted();
    const take = vi.fn<LimitStore["take"]>(store).mockReturnValueOnce(late.promise);
    const { request } = serve(take);
    const token = tokenLimitedTo(2);

    const lastOfTheMinute = request(token);
    vi.advanceTimersByTime(60_000);
    expect((await request(token)).status).toBe(200);
    late.resolve(2);
    expect((await lastOfTheMinute).status).toBe(200);
    expect((await request(token)).status).toBe(200);
    expect((await request(token)).status).toBe(429);
  });

  test("gets a raised or lowered limit from the next request on", async () => {
    const { request } = serve(counted());
    const token = tokenLimitedTo(1);
    const statuses = [];
    for (const rate_limit of [1, 1, 3, 2, 3, 3]) statuses.push((await request({ ...token, rate_limit })).status);
    expect(statuses).toEqual([200, 429, 200, 429, 200, 429]);
  });

  test("does not use up the limit of another token", async () => {
    const { request } = serve(counted());
    for (const token of [tokenLimitedTo(1), tokenLimitedTo(1)]) {
      expect([(await request(token)).status, (await request(token)).status]).toEqual([200, 429]);
    }
  });

  test.for([
    ["unavailable", new ApiError("unavailable"), 503],
    ["broken", new Error("no such table"), 500],
  ] as const)("is not admitted if its requests cannot be counted: %s", async ([, failure, status]) => {
    const { work, request } = serve(async () => {
      throw failure;
    });
    expect((await request(tokenLimitedTo(9))).status).toBe(status);
    expect(work).not.toHaveBeenCalled();
  });
});
