import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, sharedService, startService, type TestService } from "../support/service.ts";
import { deleteTable } from "../support/tables.ts";

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

const issue = async (fields: object = {}) => {
  const { token_id, token } = await service.admin({ action: "issue", ip: "127.0.0.1", ...fields });
  return { token_id, token: String(token) };
};

interface Timed extends Answer {
  /**
   * When the count starts again according to the response, in Unix minutes: this identifies the minute that counted the call.
   */
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
const sendInParallel = async (token: string, count: number, clients = 12): Promise<Timed[]> => {
  const calls = Array.from(
    { length: count },
    (_, index) => endpoints[index % endpoints.length] ?? endpoints[0],
  ).values();
  const answers: Timed[] = [];
  const client = async () => {
    for (const [method, path, form] of calls) answers.push(await call(method, path, token, form));
  };
  await Promise.all(Array.from({ length: clients }, client));
  return answers;
};

describe("parallel clients with one token", () => {
  // Starts the functions' threads first, because a count that takes more than a second is given up.
  beforeAll(async () => {
    const { token } = await issue({ rate_limit: 100_000 });
    await sendInParallel(token, 60);
  });

  test.each([1, 10, 40])("get exactly %i requests through in a minute, whichever they call", async (limit) => {
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

/** Sends requests with a limit of one until one is refused: the third at the latest, if a minute ends in the meantime. */
const untilRefused = async (send: () => Promise<number>): Promise<number> => {
  for (let calls = 1; ; calls += 1) {
    const status = await send();
    if (status === 429 || calls === 3) return status;
  }
};

describe("a token with a limit", () => {
  test("gets it with each answer, including errors, and the time to wait once it is used up", async () => {
    const { token } = await issue({ rate_limit: 3 });
    let answers: Timed[];
    do {
      answers = [];
      for (const path of ["/api/v1/token", "/api/v1/key?limit=0", "/api/v1/key/absent", "/api/v1/token"]) {
        answers.push(await call("GET", path, token));
      }
    } while (new Set(answers.map(({ resetsAt }) => resetsAt)).size > 1);

    expect(answers.map(({ status }) => status)).toEqual([200, 422, 404, 429]);
    expect(answers.map(remaining)).toEqual([2, 1, 0, 0]);
    for (const { headers } of answers) expect(headers["ratelimit-policy"]).toBe('"token";q=3;w=60');
    const refused = answers.at(-1);
    expect(refused?.headers.ratelimit).toBe(`"token";r=0;t=${refused?.headers["retry-after"]}`);
    expect(refused?.json()).toMatchObject({ code: "rate_limited" });
  });

  test("is checked after its address and before its body", async () => {
    const { token } = await issue({ rate_limit: 1 });
    const refused = async (options: object) =>
      (await service.call("POST", "/api/v1/key", { token, form: "%", ...options })).status;
    expect(await untilRefused(() => refused({}))).toBe(429);
    expect(await refused({ from: "127.0.0.2" })).toBe(403);
  });

  test("gets a higher limit, a lower one or none from the next request on", async () => {
    const { token, token_id } = await issue({ rate_limit: 1 });
    const limitTo = (rate_limit: number | null) => service.admin({ action: "update", token_id, rate_limit });
    const status = async () => (await call("GET", "/api/v1/token", token)).status;
    expect(await untilRefused(status)).toBe(429);
    await limitTo(1_000);
    expect(await status()).toBe(200);
    await limitTo(1);
    expect(await untilRefused(status)).toBe(429);
    await limitTo(null);
    const free = await call("GET", "/api/v1/token", token);
    expect(free.status).toBe(200);
    expect(free.headers).not.toHaveProperty("ratelimit");
  });

  test("passes it on to its successors, and shares the allowance with them", async () => {
    const { token_id, token } = await issue({ rate_limit: 3 });
    expect(remaining(await call("GET", "/api/v1/token", token))).toBe(2);
    const successor = await service.admin({ action: "rotate", token_id, grace_seconds: 60 });
    expect(successor).toMatchObject({ rate_limit: 3 });
    expect(remaining(await call("GET", "/api/v1/token", String(successor.token)))).toBe(1);
    const next = await service.admin({ action: "rotate", token_id: successor.token_id, grace_seconds: 60 });
    expect(remaining(await call("GET", "/api/v1/token", String(next.token)))).toBe(0);
    expect((await call("GET", "/api/v1/token", token)).status).toBe(429);
  });
});

test("a token without a limit does not need the counters, and one with a limit is not admitted without them", async () => {
  const own = await startService();
  try {
    const toCounters = async () => (await own.usedRights()).filter(({ resource }) => resource.endsWith("/LimitsTable"));
    expect((await own.call("GET", "/api/v1/token")).status).toBe(200);
    expect(await toCounters()).toEqual([]);

    const token = await own.issueToken("127.0.0.1", { rate_limit: 100 });
    expect((await own.call("GET", "/api/v1/token", { token })).status).toBe(200);
    expect(await toCounters()).toEqual([expect.objectContaining({ action: "dynamodb:UpdateItem" })]);

    await deleteTable(own, "limits");
    expect((await own.call("GET", "/api/v1/token", { token })).status).toBe(500);
    expect((await own.call("GET", "/api/v1/token")).status).toBe(200);
  } finally {
    await own.close();
  }
});
