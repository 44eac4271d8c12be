import { expect, test } from "vitest";
import { countLines } from "../../../../lambdas/domain/usage/count-lines.ts";
import { readLogBatch } from "../../../../lambdas/domain/usage/request-line.ts";
import { absentId } from "../../../kit/support/tokens.ts";
import { logDelivery, requestEvent } from "../../support/events.ts";

const [one, other] = [absentId(), absentId()];
const from = { source_ip: "198.51.100.7" };
const at = (second: number) => `2026-11-21T15:00:0${second}.000Z`;
/** Returns the line of a call with the first token. */
const call = (time: string, fields: object) => requestEvent(time, { ...from, token_id: one, ...fields });

test("counts calls per token and hour", () => {
  const { hourlyUsage, unread } = countLines([
    call("2026-11-21T15:59:59.999Z", { status: 200 }),
    call("2026-11-21T16:00:00.000Z", { status: 201 }),
    call("2026-11-21T16:00:01.000Z", { status: 404, code: "key_not_found" }),
    call("2026-11-21T16:00:02.000Z", { status: 500, cause: "Error", token_id: other }),
  ]);
  const hours = hourlyUsage.map(({ tokenId, hour: { hour, statuses, codes } }) => [tokenId, hour, statuses, codes]);
  expect(hours).toEqual([
    [one, "2026-11-21T15:00:00.000Z", { "2xx": 1 }, {}],
    [one, "2026-11-21T16:00:00.000Z", { "2xx": 1, "4xx": 1 }, { key_not_found: 1 }],
    [other, "2026-11-21T16:00:00.000Z", { "5xx": 1 }, {}],
  ]);
  expect(unread).toBe(0);
});

test("a batch is identified by its lines in any order, and counts duplicate lines once", () => {
  const lines = [1, 2, 3].map((second) => call(at(second), { status: 200 }));
  const [all, reversed, some, doubled] = [lines, lines.toReversed(), lines.slice(1), [...lines, ...lines]].map(
    (events) => countLines(events).hourlyUsage[0],
  );
  expect(reversed?.batch).toBe(all?.batch);
  expect(some?.batch).not.toBe(all?.batch);
  expect(doubled).toEqual(all);
  expect(doubled?.hour.statuses).toEqual({ "2xx": 3 });
});

test("distinguishes a use from a rejected call and from a call that needs only the secret", () => {
  const { hourlyUsage } = countLines([
    call(at(0), { status: 201, credential: "secret" }),
    call(at(1), { status: 403, code: "ip_not_allowed", leak_signal: "right secret, wrong address" }),
    call(at(2), { status: 422, code: "validation_failed" }),
    call(at(3), { status: 200 }),
    call(at(4), { status: 401, code: "token_revoked" }),
  ]);
  expect(hourlyUsage[0]?.hour).toMatchObject({
    first_used_at: at(2),
    last_used_at: at(3),
    leak_signals: 1,
    leaks: [{ ...from, calls: 1, first_at: at(1), last_at: at(1) }],
    refusals: [{ code: "ip_not_allowed", leak: true, ...from }, { leak: false }, { code: "token_revoked" }],
  });
});

test("counts unknown outcomes, and counts calls above the limit as uses", () => {
  const { hourlyUsage, unread } = countLines([
    call(at(1), { status: 429, code: "rate_limited" }),
    call(at(2), { status: 418, code: "of_next_year", more: 1 }),
  ]);
  expect(unread).toBe(0);
  expect(hourlyUsage[0]?.hour).toMatchObject({
    statuses: { "4xx": 2 },
    codes: { rate_limited: 1, of_next_year: 1 },
    first_used_at: at(1),
    refusals: [{ code: "rate_limited", status: 429, leak: false }, { code: "of_next_year" }],
  });
});

test("lists each address from which a token leaked once, in canonical form, with all its calls", () => {
  const leak = (second: number, source_ip?: string) =>
    call(at(second), { status: 403, code: "ip_not_allowed", leak_signal: "wrong", source_ip });
  const known = [leak(3, "2001:DB8:0::1"), leak(1, "2001:db8::1"), leak(2, "192.0.2.1")];
  const { hourlyUsage } = countLines([...known, leak(3), leak(3, "somewhere")]);
  const leaks = [
    { source_ip: "2001:db8::1", calls: 2, first_at: at(1), last_at: at(3) },
    { source_ip: "192.0.2.1", calls: 1, first_at: at(2), last_at: at(2) },
  ];
  expect(hourlyUsage[0]?.hour).toMatchObject({ leak_signals: 5, leaks });
});

const now = Date.parse(at(0));
test("skips and reports lines with an impossible time, and counts the rest", () => {
  const good = call(at(0), { status: 200 });
  const times = [undefined, null, "1763740800000", {}, 1.5, -1, Number.NaN, 8.64e15 + 1, now + 86_400_001];
  const bad = times.map((timestamp, index) => ({ ...good, id: `bad ${index}`, timestamp }));
  const { hourlyUsage, unread } = countLines([...bad, good], now);
  expect(unread).toBe(times.length);
  expect(hourlyUsage).toEqual(countLines([good], now).hourlyUsage);
  expect(hourlyUsage).toHaveLength(1);
});

const line = { id: "1", timestamp: 0 };
const request = (fields: object) => ({ ...line, message: JSON.stringify({ message: "request", ...fields }) });
test.for<[string, unknown]>([
  ["an entry that is not a line", null],
  ["a line without an id", { timestamp: 0, message: "{}" }],
  ["a line with an empty id", { ...line, id: "", message: "{}" }],
  ["a line without a message", line],
  ["a line that is not JSON", { ...line, message: "START RequestId: 1" }],
  ["another message", request({ message: "use_not_recorded", token_id: one })],
  ["a line without a token", request({ status: 200 })],
  ["a line with an invalid token id", request({ token_id: "leaks", status: 200 })],
  ["a line with an endless route", request({ token_id: one, status: 200, route: "r".repeat(301) })],
  ["a line with an invalid status", request({ token_id: one, status: -1 })],
  ["a line with an invalid code", request({ token_id: one, status: 400, code: "x :y, #z" })],
])("skips and reports %s", ([, event]) => {
  expect(countLines([event])).toEqual({ hourlyUsage: [], urgentCalls: [], unread: 1 });
});

test("a delivery that only tests the connection has no lines, and malformed deliveries fail", () => {
  const events = [{ id: "", timestamp: 0, message: "CWL CONTROL MESSAGE: Checking health of destination" }];
  expect(readLogBatch(logDelivery(events, "CONTROL_MESSAGE"))).toEqual([]);
  for (const event of [{}, { awslogs: { data: "" } }, { awslogs: { data: "aaaa" } }, null])
    expect(() => readLogBatch(event)).toThrow();
});
