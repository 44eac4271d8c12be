import { expect, test, vi } from "vitest";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import type { ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { announceExpiry, recordUse, verifyToken } from "../../../lambdas/middlewares/verify-token.ts";
import { apiEvent } from "../../../tools/support/events.ts";
import { absentId, dayMs, inMs, newInvitation, newToken } from "../../kit/support/tokens.ts";
import { stopClock } from "../support/clock.ts";
import { around, eventOf, runBefore } from "../support/events.ts";
import { apiErrorOf, captureLog } from "../support/outcomes.ts";
import { lookUpIn } from "../support/stores.ts";

const client = "ACME";
const { text, record } = newToken({ client });
const invitation = newInvitation({ client });
const elsewhere = "203.0.113.9";

const send = (
  options: Omit<Parameters<typeof verifyToken>[0], "tokens" | "realm">,
  { tokens = lookUpIn(record, invitation.record), sourceIp = elsewhere, headers = {} as Record<string, string> },
) => runBefore(verifyToken({ tokens, realm: "Test", ...options }), apiEvent({ headers, sourceIp }));

test("admits a valid token from its own address, and logs the token's id and client", async () => {
  const event = await send({}, { headers: { "x-token": text }, sourceIp: record.ip });
  expect(event).toMatchObject({
    caller: { token: record, ip: record.ip },
    logFields: { token_id: record.token_id, client },
  });
});

test("ignores headers that name another address", async () => {
  const { ip } = record;
  const headers = { "x-token": text, "x-forwarded-for": ip, forwarded: `for=${ip}`, "x-real-ip": ip };
  expect((await apiErrorOf(send({}, { headers }))).code).toBe("ip_not_allowed");
});

test.for([
  ["the secret of a token", "secret", text, record],
  ["an invitation", "invitation", invitation.text, invitation.record],
] as const)(
  "an endpoint that needs only %s admits it from any address, and logs it",
  async ([, credential, sent, token]) => {
    const event = await send({ credential }, { headers: { "x-token": sent } });
    expect(event.caller).toMatchObject({ token, ip: elsewhere });
    expect(event.logFields).toEqual({ credential, token_id: token.token_id, client });
  },
);

test.for([
  ["when it ends and how to rotate it, if it ends soon", {}, { "X-Token-Rotation": "POST /api/v1/token/rotation" }],
  ["only when it ends, if it has a successor", { successor_id: absentId() }, {}],
] as const)("tells the holder of a token %s, and keeps other headers", async ([, fields, more]) => {
  const expires_at = inMs(dayMs);
  const event = { ...eventOf(newToken({ expires_at, ...fields }).record), responseHeaders: { Link: "<x>" } };
  const { responseHeaders } = await runBefore(announceExpiry(), event);
  expect(responseHeaders).toEqual({ Link: "<x>", "X-Token-Expires-At": expires_at, ...more });
  expect((await runBefore(announceExpiry(), eventOf(newToken().record))).responseHeaders).toEqual({});
});

const minuteMs = 60_000;

/** Creates a function with the middleware, and a store that keeps the recorded uses. */
const serve = (store: (tokenId: string, usedAt: string) => Promise<void> = async () => {}) => {
  const recorded = vi.fn(store);
  const work = vi.fn(async (): Promise<ApiResponse> => ({ statusCode: 200 }));
  const send = around(recordUse({ tokens: { recordUse: recorded } }), work);
  return { recorded, work, request: (token: TokenRecord) => send(eventOf(token)) };
};

const tokenUsed = (agoMs?: number, fields: Partial<TokenRecord> = {}) =>
  newToken({ ...fields, ...(agoMs !== undefined && { last_used_at: inMs(-agoMs) }) }).record;
const unused = { repeat_nonce: "nonce" };

test.for<[string, number, number | undefined, Partial<TokenRecord>]>([
  ["never", 1, undefined, {}],
  ["five minutes ago", 1, 5 * minuteMs, {}],
  ["less than five minutes ago", 0, 5 * minuteMs - 1, {}],
  ["a moment ago", 0, 0, {}],
  ["in the future, according to another clock", 0, -minuteMs, {}],
  ["a moment ago, while its value can still be derived again", 1, 0, unused],
])("records a use of a token that was last used %s: %i times", async ([, times, agoMs, fields]) => {
  stopClock();
  const { recorded, request } = serve();
  const token = tokenUsed(agoMs, fields);
  await request(token);
  expect(recorded.mock.calls).toEqual(Array(times).fill([token.token_id, inMs(0)]));
});

test.for([false, true])(
  "records a use while the handler runs and before the response, even for an error: %s",
  async (fails) => {
    const order: string[] = [];
    const worked = Promise.withResolvers<void>();
    const { work, request } = serve(async () => {
      order.push("recording");
      await worked.promise;
      order.push("recorded");
    });
    work.mockImplementation(async () => {
      order.push("work");
      if (fails) throw new Error("invalid");
      return { statusCode: 200 };
    });
    const ended = () => order.push("response");
    const response = request(tokenUsed()).then(ended, ended);
    await new Promise(setImmediate);
    worked.resolve();
    await response;
    expect(order).toEqual(["recording", "work", "recorded", "response"]);
  },
);

test("logs a failure to record a use, does not fail the request, and retries later", async () => {
  stopClock();
  const log = captureLog();
  const { recorded, request } = serve(() => Promise.reject(new Error("no database")));
  const token = tokenUsed();
  const attempts = async (fields: Partial<TokenRecord> = {}) => {
    expect(await request({ ...token, ...fields })).toEqual({ statusCode: 200 });
    return recorded.mock.calls.length;
  };
  expect([await attempts(), await attempts()]).toEqual([1, 1]);
  const line = { level: "WARN", message: "use_not_recorded", token_id: token.token_id };
  expect(log.lines()).toEqual([{ ...line, cause: expect.stringContaining("no database") }]);

  vi.advanceTimersByTime(5 * minuteMs - 1);
  expect(await attempts()).toBe(1);
  expect(await attempts(unused), "what a value can be derived from must not stay").toBe(2);
  vi.advanceTimersByTime(5 * minuteMs);
  expect(await attempts()).toBe(3);
});
