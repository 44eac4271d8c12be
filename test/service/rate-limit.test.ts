import { beforeAll, expect, test } from "vitest";
import { type Answer, sharedService, type TestService } from "../support/service.ts";

/* One counter for all functions. What a function does with it is tested in test/lambdas/middlewares/limit-rate.test.ts. */

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

/** Different functions with separate environments, which share only the counter. */
const endpoints = [
  ["GET", "/api/v1/token"],
  ["GET", "/api/v1/key"],
  ["GET", "/api/v1/key/absent"],
  ["DELETE", "/api/v1/key/absent"],
  ["PUT", "/api/v1/key/absent"],
] as const;

/** Sends this many calls to the endpoints in turn, from several concurrent clients. */
const sendInParallel = async (rate_limit: number, count: number): Promise<Answer[]> => {
  const token = await service.issueToken("127.0.0.1", { rate_limit });
  const calls = Array.from({ length: count }, (_, index) => endpoints[index % 5] ?? endpoints[0]).values();
  const answers: Answer[] = [];
  const client = async () => {
    for (const [method, path] of calls) {
      const form = method === "PUT" && { form: { v_code: "v".repeat(64) } };
      answers.push(await service.call(method, path, { token, ...form }));
    }
  };
  await Promise.all(Array.from({ length: 12 }, client));
  return answers;
};

const remaining = ({ headers }: Answer) => Number(/;r=(\d+);/.exec(headers.ratelimit ?? "")?.[1]);

/** When the count starts again according to the response, in Unix minutes: the minute that counted the call. */
const resetOf = ({ headers: { date, ratelimit = "" } }: Answer) => {
  const [, seconds] = /;t=(\d+)$/.exec(ratelimit) ?? [];
  return Math.round((Date.parse(String(date)) + Number(seconds) * 1000) / 60_000);
};

test("parallel clients with one token get exactly as many requests through in a minute as its limit, whichever they call", async () => {
  // Starts the functions' threads first, because a count that takes more than a second is given up.
  await sendInParallel(100_000, 60);
  const limit = 40;
  const answers = await sendInParallel(limit, limit + 60);

  // A count that a busy machine gives up may have been stored, but admits nobody.
  const givenUp = answers.filter(({ status }) => status === 503).length;
  expect(answers.filter(({ status }) => status >= 500)).toHaveLength(givenUp);
  // A minute may end in the meantime: the limit must hold in each.
  for (const [minute, inMinute] of Map.groupBy(answers, resetOf)) {
    const passed = inMinute.filter(({ status }) => status < 429);
    expect(passed.length, `in minute ${minute}`).toBeLessThanOrEqual(limit);
    if (inMinute.some(({ status }) => status === 429)) {
      expect(passed.length, `in minute ${minute}`).toBeGreaterThanOrEqual(limit - givenUp);
    }
    expect(new Set(passed.map(remaining)).size).toBe(passed.length);
  }
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
});
