import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { minuteOf } from "../../lambdas/resources/limits/minute.ts";
import { formatTokenText, generateTokenText } from "../../lambdas/resources/tokens/token-text.ts";
import { inMs, newToken } from "../../tools/support/tokens.ts";
import type { Call } from "./support/fault-proxy.ts";
import { faults } from "./support/faults.ts";
import { type FaultyService, startFaultyService } from "./support/faulty-service.ts";

let faulty: FaultyService;
beforeAll(async () => {
  faulty = await startFaultyService();
});
afterAll(() => faulty.close());

type Bearer = (faulty: FaultyService) => Promise<{ text: string; id: string }>;

const stored =
  (fields: Parameters<FaultyService["storedToken"]>[0]): Bearer =>
  async ({ storedToken }) => {
    const { text, record } = await storedToken(fields);
    return { text, id: record.token_id };
  };

/** Tokens that let nobody in, whatever the database says or does not say. */
const bearers: Record<string, Bearer> = {
  "a token that nobody issued": async () => {
    const { text, record } = newToken();
    return { text, id: record.token_id };
  },
  "another secret than the token's": async ({ storedToken }) => {
    const { record } = await storedToken();
    return { text: formatTokenText({ ...generateTokenText(), token_id: record.token_id }), id: record.token_id };
  },
  "a token that has expired": stored({ expires_at: inMs(-1) }),
  "a token that was revoked": stored({ revoked_at: inMs(-1), revoked_by: "invoke:revoke-1" }),
  "the token of another address": stored({ ip: "127.0.0.9" }),
};

/** One that takes seconds stands for the others. */
const quickFaults = Object.entries(faults).flatMap(([name, one]) => (one.isSlow && name !== "no answer" ? [] : [one]));

describe.each(Object.entries(bearers))("%s", (_, bear) => {
  test("lets nobody in, whatever fault its look-up meets", async () => {
    const outcomes = await Promise.all(
      quickFaults.flatMap(({ fault }) =>
        [1, Number.POSITIVE_INFINITY].map(async (times) => {
          const { text, id } = await bear(faulty);
          const injected = faulty.proxy.inject({ matches: ({ body }) => body.includes(id), fault, times });
          const { status } = await faulty.service.call("GET", "/api/v1/key", { token: text });
          injected.remove();
          return { status, wasMet: injected.hits() > 0 };
        }),
      ),
    );
    expect(outcomes.filter(({ wasMet }) => !wasMet)).toEqual([]);
    for (const { status } of outcomes) expect([401, 403, 503]).toContain(status);
  });
});

describe("a token that has used up its limit", () => {
  test("gets nothing through, whatever fault its counter meets", async () => {
    const answers = await Promise.all(
      quickFaults.flatMap(({ fault }) =>
        [1, Number.POSITIVE_INFINITY].map(async (times) => {
          const { text, record } = await faulty.storedToken({ rate_limit: 1 });
          // Of the next minute, too, which may begin meanwhile.
          for (const now of [Date.now(), Date.now() + 60_000]) {
            await faulty.limits.take(record.token_id, { minute: minuteOf(now), limit: 1 });
          }
          const matches = ({ body }: Call) => body.includes(`"minute_id":{"S":"${record.token_id}/`);
          const injected = faulty.proxy.inject({ matches, fault, times });
          const { status } = await faulty.service.call("GET", "/api/v1/key", { token: text });
          injected.remove();
          return { status, wasMet: injected.hits() > 0 };
        }),
      ),
    );
    expect(answers.filter(({ wasMet }) => !wasMet)).toEqual([]);
    for (const { status } of answers) expect([429, 503]).toContain(status);
  });
});

describe("a database that refuses connections", () => {
  const calls = [
    ["GET", "/api/v1/token"],
    ["GET", "/api/v1/key"],
    ["GET", "/api/v1/key/refused"],
    ["POST", "/api/v1/key"],
    ["PUT", "/api/v1/key/refused"],
    ["DELETE", "/api/v1/key/refused"],
  ] as const;
  const callAll = (token: string) => {
    const form = { key_id: "refused", v_code: "v".repeat(64) };
    return Promise.all(
      calls.map(([method, path]) => faulty.service.call(method, path, { token, ...(/^P/.test(method) && { form }) })),
    );
  };

  test("is unavailable to every endpoint within seconds, and is found again when it is back", async () => {
    const { text } = await faulty.storedToken();
    await faulty.proxy.refuse();
    const startedAt = performance.now();
    const refused = await callAll(text);
    expect(performance.now() - startedAt).toBeLessThan(9_000);
    for (const { status, headers } of refused) {
      expect({ status, retryAfter: Number(headers["retry-after"]) }).toEqual({ status: 503, retryAfter: 1 });
    }
    expect(await faulty.keys.get("refused")).toBeUndefined();

    await faulty.proxy.accept();
    for (const { status } of await callAll(text)) expect(status).toBeLessThan(500);
  });
});

test("what a damaged answer held of a key's v_code is not in the log", async () => {
  const { text } = await faulty.storedToken();
  const key_id = "damaged";
  await faulty.keys.create({ key_id, v_code: "hushhush".repeat(8) });
  const cuts = Array.from({ length: 12 }, (_, index) => index);
  await Promise.all(
    cuts.map(async (index) => {
      const injected = faulty.proxy.inject({
        matches: ({ body }) => body.includes(`{"S":"${key_id}"}`),
        times: 3,
        fault: async ({ forward, answer }) => {
          const whole = await forward();
          const at = whole.body.indexOf("hushhush") + index;
          const body = Buffer.concat([whole.body.subarray(0, at), Buffer.from('"\n'), whole.body.subarray(at)]);
          answer({ ...whole, headers: { ...whole.headers, "content-length": String(body.length) }, body });
        },
      });
      const { status } = await faulty.service.call("GET", `/api/v1/key/${key_id}`, { token: text });
      injected.remove();
      expect(status).toBe(503);
    }),
  );
  expect(faulty.service.logged()).toContain('"status":503');
  expect(faulty.service.logged()).not.toMatch(/hush/);
});
