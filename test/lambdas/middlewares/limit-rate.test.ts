import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Credential } from "../../../lambdas/declaration/endpoint.ts";
import type { LimitStore } from "../../../lambdas/domain/limits/limits-table.ts";
import { type Phase, phases } from "../../../lambdas/domain/tokens/token-state.ts";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { apiChain } from "../../../lambdas/middlewares/chain.ts";
import { limitRate } from "../../../lambdas/middlewares/limit-rate.ts";
import type { ApiEvent, ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { ApiError } from "../../../lambdas/shared/errors/api-error.ts";
import { lambdaContext } from "../../../tools/support/events.ts";
import { absentId, newToken } from "../../kit/support/tokens.ts";
import { eventOf, runBefore } from "../support/events.ts";
import { captureLog } from "../support/outcomes.ts";
import { recordIn } from "../support/stores.ts";

beforeEach(() => {
  captureLog();
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-21T10:15:18.500Z") });
});
afterEach(() => void vi.useRealTimers());

/** An in-memory store that behaves like the real one. */
const counted = () => {
  const counters = new Map<string, number>();
  return vi.fn<LimitStore["take"]>(async (limitId, { minute, limit }) => {
    const key = `${limitId}/${minute}`;
    const taken = (counters.get(key) ?? 0) + 1;
    if (taken > limit) return undefined;
    counters.set(key, taken);
    return taken;
  });
};

/** Creates one environment of a function: the middleware in the common chain, before a handler. */
const serve = (take: LimitStore["take"] = counted()) => {
  const work = vi.fn(async (): Promise<ApiResponse> => ({ statusCode: 200 }));
  const chain = apiChain()
    .use(limitRate({ limits: { take }, credential: "token" }))
    .handler<ApiEvent>(work);
  const request = async (token: TokenRecord) => {
    const { statusCode, headers = {} } = await chain(eventOf(token), lambdaContext);
    return { status: statusCode, headers };
  };
  const statuses = async (...tokens: TokenRecord[]) => {
    const all = [];
    for (const token of tokens) all.push((await request(token)).status);
    return all;
  };
  return { work, request, statuses };
};

const tokenLimitedTo = (rate_limit: number) => newToken({ rate_limit }).record;

test("neither counts requests nor adds headers for a token without a limit", async () => {
  const take = counted();
  const { responseHeaders } = await runBefore(
    limitRate({ limits: { take }, credential: "token" }),
    eventOf(newToken().record),
  );
  expect(responseHeaders).toEqual({});
  expect(take).not.toHaveBeenCalled();
});

const countedIn: Record<Exclude<Credential, "workload">, readonly string[]> = {
  // The token's state has already been verified.
  token: Object.keys(phases),
  secret: ["active", "moving", "move_confirmed", "rotated"],
  invitation: ["invited", "awaiting_confirmation"],
};

const credentials = Object.keys(countedIn) as (keyof typeof countedIn)[];

test.for(credentials)("counts only valid credentials from their own address: %s", async (credential) => {
  const found: string[] = [];
  for (const phase of Object.keys(phases) as Phase[]) {
    const token = recordIn(phase, { ip: "198.51.100.7", rate_limit: 9 });
    for (const ip of [token.ip, "203.0.113.9"]) {
      const middleware = limitRate({ limits: { take: counted() }, credential });
      const { responseHeaders } = await runBefore(middleware, eventOf(token, ip));
      if (responseHeaders.RateLimit !== undefined) found.push(`${phase} ${ip}`);
    }
  }
  expect(found.toSorted()).toEqual(countedIn[credential].map((phase) => `${phase} 198.51.100.7`).toSorted());
});

test("each response states how many requests are left, and when the count restarts", async () => {
  const { request } = serve();
  const token = tokenLimitedTo(2);
  const responses = [await request(token), await request(token), await request(token)];
  const policy = { "RateLimit-Policy": '"token";q=2;w=60' };
  expect(responses).toMatchObject([
    { status: 200, headers: { ...policy, RateLimit: '"token";r=1;t=42' } },
    { status: 200, headers: { ...policy, RateLimit: '"token";r=0;t=42' } },
    { status: 429, headers: { ...policy, RateLimit: '"token";r=0;t=42', "Retry-After": "42" } },
  ]);
  expect(responses[1]?.headers).not.toHaveProperty("Retry-After");
});

test("a used-up limit stops requests before the handler, with one database call per environment", async () => {
  const take = counted();
  const [one, other] = [serve(take), serve(take)];
  const token = tokenLimitedTo(3);
  await one.statuses(...Array(10).fill(token));
  expect(one.work).toHaveBeenCalledTimes(3);
  expect(take).toHaveBeenCalledTimes(3);
  expect(await other.statuses(...Array(5).fill(token))).toEqual(Array(5).fill(429));
  expect(take).toHaveBeenCalledTimes(4);
});

test("admits a token again after the announced time", async () => {
  const { request, statuses } = serve();
  const token = tokenLimitedTo(1);
  await request(token);
  const { headers } = await request(token);
  vi.advanceTimersByTime((Number(headers["Retry-After"]) - 1) * 1000);
  expect(await statuses(token)).toEqual([429]);
  vi.advanceTimersByTime(1000);
  expect(await statuses(token)).toEqual([200]);
});

test("admits a token in a new minute even if the last minute's count arrives late", async () => {
  const late = Promise.withResolvers<number | undefined>();
  const { statuses } = serve(vi.fn<LimitStore["take"]>(counted()).mockReturnValueOnce(late.promise));
  const token = tokenLimitedTo(2);

  const lastOfTheMinute = statuses(token);
  vi.advanceTimersByTime(60_000);
  expect(await statuses(token)).toEqual([200]);
  late.resolve(2);
  expect(await lastOfTheMinute).toEqual([200]);
  expect(await statuses(token, token)).toEqual([200, 429]);
});

test("applies a changed limit to the next request", async () => {
  const token = tokenLimitedTo(1);
  const limits = [1, 1, 3, 2, 3, 3].map((rate_limit) => ({ ...token, rate_limit }));
  expect(await serve().statuses(...limits)).toEqual([200, 429, 200, 429, 200, 429]);
});

test("a token shares its allowance only with its predecessors and successors", async () => {
  const limit_id = absentId();
  const related = [tokenLimitedTo(1), tokenLimitedTo(1)].map((token) => ({ ...token, limit_id }));
  const other = tokenLimitedTo(1);
  expect(await serve().statuses(...related, other, other)).toEqual([200, 429, 200, 429]);
});

test.for([
  ["unavailable", new ApiError("unavailable"), 503],
  ["broken", new Error("no such table"), 500],
] as const)("rejects a token whose requests cannot be counted: %s", async ([, failure, status]) => {
  const { work, statuses } = serve(() => Promise.reject(failure));
  expect(await statuses(tokenLimitedTo(9))).toEqual([status]);
  expect(work).not.toHaveBeenCalled();
});
