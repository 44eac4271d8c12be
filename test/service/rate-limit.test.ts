import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, sharedService, type TestService } from "../support/service.ts";

/* One counter for all functions. What a function does with it is tested in test/lambdas/middlewares/limit-rate.test.ts. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const issue = async (fields: object = {}) => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", ...fields });
  return { token_id, token: String(token) };
};

interface Timed extends Answer {
  /** When the count starts again according to the response, in Unix minutes: the minute that counted the call. */
  resetsAt: number;
}

const call = async (method: string, path: string, token: string, form?: Record<string, string>): Promise<Timed> => {
  const answer = await service.call(method, path, { token, ...(form && { form }) });
  const [, seconds] = /;t=(\d+)$/.exec(answer.headers.ratelimit ?? "") ?? [];
  const reset = Date.parse(String(answer.headers.date)) + Number(seconds) * 1000;
  return { ...answer, resetsAt: Math.round(reset / 60_000) };
};

const remaining = ({ headers }: Answer) => Number(/;r=(\d+);/.exec(headers.ratelimit ?? "")?.[1]);

/** Different functions with separate environments, which share only the counter. */
const endpoints = [
  ["GET", "/api/v1/token"],
  ["GET", "/api/v1/key"],
  ["GET", "/api/v1/key/absent"],
  ["DELETE", "/api/v1/key/absent"],
  ["PUT", "/api/v1/key/absent", { v_code: "v".repeat(64) }],
] as const;

/** Sends this many calls to the endpoints in turn, from several concurrent clients. */
const sendInParallel = async (token: string, count: number): Promise<Timed[]> => {
  const calls = Array.from(
    { length: count },
    (_, index) => endpoints[index % endpoints.length] ?? endpoints[0],
  ).values();
  const answers: Timed[] = [];
  const client = async () => {
    for (const [method, path, form] of calls) answers.push(await call(method, path, token, form));
  };
  await Promise.all(Array.from({ length: 12 }, client));
  return answers;
};

describe("parallel clients with one token", () => {
  // Starts the functions' threads first, because a count that takes more than a second is given up.
  beforeAll(async () => {
    const { token } = await issue({ rate_limit: 100_000 });
    await sendInParallel(token, 60);
  });

  test.each([1, 40])("get exactly %i requests through in a minute, whichever they call", async (limit) => {
    const { token } = await issue({ rate_limit: limit });
    const answers = await sendInParallel(token, limit + 60);

    // A count that a busy machine gives up may have been stored, but admits nobody.
    const givenUp = answers.filter(({ status }) => status === 503).length;
    expect(answers.filter(({ status }) => status >= 500)).toHaveLength(givenUp);
    // A minute may end in the meantime: the limit must hold in each.
    for (const [minute, inMinute] of Map.groupBy(answers, ({ resetsAt }) => resetsAt)) {
      const passed = inMinute.filter(({ status }) => status < 429);
      expect(passed.length, `in minute ${minute}`).toBeLessThanOrEqual(limit);
      if (inMinute.some(({ status }) => status === 429)) {
        expect(passed.length, `in minute ${minute}`).toBeGreaterThanOrEqual(limit - givenUp);
      }
      expect(new Set(passed.map(remaining)).size).toBe(passed.length);
    }
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  });
});

test("a token shares its allowance with its successors, and gets another limit or none from the next request on", async () => {
  const { token_id, token } = await issue({ rate_limit: 100 });
  const first = await call("GET", "/api/v1/token", token);
  const successor = await service.admin({ action: "rotate", token_id, grace_seconds: 60 });
  const second = await call("GET", "/api/v1/token", String(successor.token));
  // A new minute may have begun in between.
  if (second.resetsAt === first.resetsAt) expect([first, second].map(remaining)).toEqual([99, 98]);

  await service.admin({ action: "update", token_id, rate_limit: 7 });
  expect((await call("GET", "/api/v1/token", token)).headers["ratelimit-policy"]).toBe('"token";q=7;w=60');
  await service.admin({ action: "update", token_id, rate_limit: null });
  expect((await call("GET", "/api/v1/token", token)).headers).not.toHaveProperty("ratelimit");
});
