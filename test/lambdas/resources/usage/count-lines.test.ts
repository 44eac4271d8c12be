import { describe, expect, test } from "vitest";
import { countLines } from "../../../../lambdas/resources/usage/count-lines.ts";
import { readLogBatch } from "../../../../lambdas/resources/usage/request-line.ts";
import { absentId } from "../../../../tools/support/tokens.ts";
import { logDelivery, requestEvent } from "../../support/log-delivery.ts";

const [one, other] = [absentId(), absentId()];
const from = { source_ip: "198.51.100.7" };

describe("a batch of lines", () => {
  test("is summed up for each token and each hour", () => {
    const { hourlyUsage, unread } = countLines([
      requestEvent("2026-11-21T15:59:59.999Z", { ...from, token_id: one, status: 200 }),
      requestEvent("2026-11-21T16:00:00.000Z", { ...from, token_id: one, status: 201 }),
      requestEvent("2026-11-21T16:00:01.000Z", { ...from, token_id: one, status: 404, code: "key_not_found" }),
      requestEvent("2026-11-21T16:00:02.000Z", { ...from, token_id: other, status: 500, cause: "Error" }),
    ]);

    expect(unread).toBe(0);
    expect(
      hourlyUsage.map(({ tokenId, hour: { hour, statuses, codes } }) => ({ tokenId, hour, statuses, codes })),
    ).toEqual([
      { tokenId: one, hour: "2026-11-21T15:00:00.000Z", statuses: { "2xx": 1 }, codes: {} },
      { tokenId: one, hour: "2026-11-21T16:00:00.000Z", statuses: { "2xx": 1, "4xx": 1 }, codes: { key_not_found: 1 } },
      { tokenId: other, hour: "2026-11-21T16:00:00.000Z", statuses: { "5xx": 1 }, codes: {} },
    ]);
  });

  test("is identified by its lines, in any order", () => {
    const events = [1, 2, 3].map((n) =>
      requestEvent(`2026-11-21T15:00:0${n}Z`, { ...from, token_id: one, status: 200 }),
    );
    const batches = [events, events.toReversed(), events.slice(1)].map(
      (lines) => countLines(lines).hourlyUsage[0]?.batch,
    );

    expect(batches[1]).toBe(batches[0]);
    expect(batches[2]).not.toBe(batches[0]);
  });

  test("counts a duplicate line once", () => {
    const event = requestEvent("2026-11-21T15:00:00Z", { ...from, token_id: one, status: 200 });
    const [once, twice] = [[event], [event, event]].map((events) => countLines(events));

    expect(twice).toEqual(once);
    expect(twice?.hourlyUsage[0]?.hour.statuses).toEqual({ "2xx": 1 });
  });

  test("distinguishes a use from a call that was refused because of its token", () => {
    const leak = { leak_signal: "right secret, wrong address" };
    const { hourlyUsage } = countLines([
      requestEvent("2026-11-21T15:00:01.000Z", {
        ...from,
        token_id: one,
        status: 403,
        code: "ip_not_allowed",
        ...leak,
      }),
      requestEvent("2026-11-21T15:00:02.000Z", { ...from, token_id: one, status: 422, code: "validation_failed" }),
      requestEvent("2026-11-21T15:00:03.000Z", { ...from, token_id: one, status: 200 }),
      requestEvent("2026-11-21T15:00:04.000Z", { ...from, token_id: one, status: 401, code: "token_revoked" }),
    ]);

    expect(hourlyUsage[0]?.hour).toMatchObject({
      first_used_at: "2026-11-21T15:00:02.000Z",
      last_used_at: "2026-11-21T15:00:03.000Z",
      leak_signals: 1,
      leaks: [{ ...from, calls: 1, first_at: "2026-11-21T15:00:01.000Z", last_at: "2026-11-21T15:00:01.000Z" }],
      refusals: [{ code: "ip_not_allowed", leak: true, ...from }, { leak: false }, { code: "token_revoked" }],
    });
  });

  test("counts unknown outcomes, and counts a call above the limit as a use", () => {
    const { hourlyUsage, unread } = countLines([
      requestEvent("2026-11-21T15:00:01.000Z", { ...from, token_id: one, status: 429, code: "rate_limited" }),
      requestEvent("2026-11-21T15:00:02.000Z", { ...from, token_id: one, status: 418, code: "of_next_year", more: 1 }),
    ]);

    expect(unread).toBe(0);
    expect(hourlyUsage[0]?.hour).toMatchObject({
      statuses: { "4xx": 2 },
      codes: { rate_limited: 1, of_next_year: 1 },
      first_used_at: "2026-11-21T15:00:01.000Z",
      refusals: [{ code: "rate_limited", status: 429, leak: false }, { code: "of_next_year" }],
    });
  });

  test("names each address from which a token leaked once, in its canonical form, with all calls", () => {
    const leak = (time: string, source_ip?: string) =>
      requestEvent(time, { token_id: one, status: 403, code: "ip_not_allowed", leak_signal: "wrong", source_ip });
    const [first, second, third] = ["2026-11-21T15:00:01.000Z", "2026-11-21T15:00:02.000Z", "2026-11-21T15:00:03.000Z"];
    const { hourlyUsage } = countLines([
      ...[leak(third, "2001:DB8:0::1"), leak(first, "2001:db8::1"), leak(second, "192.0.2.1")],
      ...[leak(third), leak(third, "somewhere")],
    ]);

    expect(hourlyUsage[0]?.hour).toMatchObject({
      leak_signals: 5,
      leaks: [
        { source_ip: "2001:db8::1", calls: 2, first_at: first, last_at: third },
        { source_ip: "192.0.2.1", calls: 1, first_at: second, last_at: second },
      ],
    });
  });

  const now = Date.parse("2026-11-21T15:00:00Z");
  test.each([
    ...[undefined, null, "1763740800000", "soon", {}, [], true, 1.5, -1, -(2 ** 53), 2 ** 53],
    ...[Number.NaN, Number.POSITIVE_INFINITY, 8.64e15, 8.64e15 + 1, Date.parse("9999-12-31T23:59:59.999Z")],
    ...[now + 86_400_001],
  ])("skips and reports a line with the time %s, and counts the others", (timestamp) => {
    const good = requestEvent("2026-11-21T15:00:00Z", { ...from, token_id: one, status: 200 });
    const { hourlyUsage, unread } = countLines([{ ...good, id: "bad", timestamp }, good], now);

    expect(unread).toBe(1);
    expect(hourlyUsage).toEqual(countLines([good], now).hourlyUsage);
    expect(hourlyUsage).toHaveLength(1);
  });

  test.each([
    [null],
    [{}],
    ["x"],
    [{ timestamp: 0, message: "{}" }],
    [{ id: "", timestamp: 0, message: "{}" }],
    [{ id: "1", timestamp: 0 }],
  ])("skips and reports what is no line: %j", (event) => {
    expect(countLines([event])).toEqual({ hourlyUsage: [], urgentCalls: [], unread: 1 });
  });

  test.each([
    ["no JSON", "START RequestId: 1"],
    ["another message", JSON.stringify({ message: "use_not_recorded", token_id: one })],
    ["no token", JSON.stringify({ message: "request", status: 200 })],
    ["an invalid token id", JSON.stringify({ message: "request", token_id: "leaks", status: 200 })],
    ["an endless route", JSON.stringify({ message: "request", token_id: one, status: 200, route: "r".repeat(301) })],
    ["an invalid status", JSON.stringify({ message: "request", token_id: one, status: -1 })],
    ["an invalid code", JSON.stringify({ message: "request", token_id: one, status: 400, code: "x :y, #z" })],
  ])("skips and reports a line with %s", (_, message) => {
    expect(countLines([{ id: "1", timestamp: 0, message }])).toEqual({ hourlyUsage: [], urgentCalls: [], unread: 1 });
  });
});

describe("a delivery of CloudWatch Logs", () => {
  test("is read completely", () => {
    const events = [requestEvent("2026-11-21T15:00:00.000Z", { token_id: one, status: 200 })];

    expect(readLogBatch(logDelivery(events))).toEqual(events);
  });

  test("that only tests the connection has no lines", () => {
    const events = [{ id: "", timestamp: 0, message: "CWL CONTROL MESSAGE: Checking health of destination" }];

    expect(readLogBatch(logDelivery(events, "CONTROL_MESSAGE"))).toEqual([]);
  });

  test.each([[{}], [{ awslogs: { data: "" } }], [{ awslogs: { data: "aaaa" } }], [null]])(
    "is a failure if it is %o",
    (event) => {
      expect(() => readLogBatch(event)).toThrow();
    },
  );
});
