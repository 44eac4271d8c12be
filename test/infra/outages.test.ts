import { readFilterPattern } from "cdk-local-runner/parts";
import { beforeAll, describe, expect, test } from "vitest";
import { type LogMetricName, logMetrics } from "../../infra/monitoring/log-metrics.ts";
import { minutesInAlarm, type Series } from "../support/alarm-evaluation.ts";
import { readTemplate } from "../support/template.ts";

/*
 * Simulates an hour and more of traffic, counts its log lines with the filters of the template, and evaluates the alarms of the
 * template with the result.
 */

let alarms: Record<string, unknown>;
beforeAll(async () => {
  const { propertiesOf } = await readTemplate();
  alarms = Object.fromEntries(
    propertiesOf("AWS::CloudWatch::Alarm").map((properties) => [
      String(properties.AlarmName).replace("IntegrationApi-prod-", ""),
      properties,
    ]),
  );
});

type Line = Readonly<Record<string, unknown>>;

/** The log lines of a call. */
interface Call {
  access: Line;
  requests?: Line;
}

const access = (status: string, integration_status: string, route = "GET /api/v1/key/{key_id+}"): Line => ({
  route,
  status,
  integration_status,
});
const failure = (status: number, code: string): Line => ({
  level: "ERROR",
  message: "request",
  status,
  code,
  function_name: "get-key",
  function_version: "7",
});

const success: Call = { access: access("200", "200"), requests: { level: "INFO", message: "request", status: 200 } };
const failed: Call = { access: access("500", "200"), requests: failure(500, "internal_error") };
const refused: Call = { access: access("401", "200"), requests: { level: "INFO", message: "request", status: 401 } };

const outages: Record<string, Call> = {
  "every response is a 500": failed,
  "no table can be reached": { access: access("503", "200"), requests: failure(503, "unavailable") },
  "Lambda has no capacity": { access: access("503", "429") },
  "functions do not start": {
    access: access("500", "200"),
    requests: { type: "platform.initReport", record: { status: "error" } },
  },
  "functions run into their time-out": {
    access: access("503", "-"),
    requests: { type: "platform.report", record: { status: "timeout" } },
  },
  "API Gateway fails before it calls a function": { access: access("503", "-") },
};

/** Returns numbers from 0 to 1 that depend only on the seed. */
const randomNumbers = (seed: number) => () => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};

/** Returns each minute's calls, at random times. */
const traffic = (callsPerMonth: number, minutes: number, seed: number, callAt: (minute: number) => Call): Call[][] => {
  const random = randomNumbers(seed);
  const perMinute = callsPerMonth / (365 / 12) / 24 / 60;
  const result: Call[][] = Array.from({ length: minutes }, () => []);
  for (let time = 0; ; ) {
    time -= Math.log(random()) / perMinute;
    const minute = Math.floor(time);
    if (minute >= minutes) return result;
    result[minute]?.push(callAt(minute));
  }
};

/** Counts what the filters match in each minute. As in CloudWatch Logs, a default value requires some line in the log. */
const metricsOf = (calls: readonly Call[][]): Record<string, Series> =>
  Object.fromEntries(
    Object.entries(logMetrics).map(([name, metric]) => {
      const isCounted = readFilterPattern(metric.lines);
      const logs = metric.logs as readonly string[];
      return [
        name,
        calls.map((ofMinute) => {
          const lines = ofMinute.flatMap(({ access, requests }) => [
            ...(logs.includes("access") ? [access] : []),
            ...(logs.includes("requests") && requests ? [requests] : []),
          ]);
          const count = lines.filter(isCounted).length;
          return count > 0 ? count : lines.length > 0 && "defaultValue" in metric ? metric.defaultValue : undefined;
        }),
      ] as const;
    }),
  ) satisfies Partial<Record<LogMetricName, Series>>;

/** The service-wide alarms that are counted from its logs. */
const serviceAlarms = [
  "server-errors",
  "too-many-requests",
  "leaked-token",
  "database-unavailable",
  "functions-throttled",
  "functions-unfinished",
];

/** Returns the first minute of each alarm that goes off. */
const alarmsIn = (series: Record<string, Series>, names = serviceAlarms, fillsUnknown = true): Record<string, number> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const [first] = minutesInAlarm(alarms[name], series, { fillsUnknown });
      return first === undefined ? [] : [[name, first]];
    }),
  );

const [start, end] = [120, 240];
const duringOutage = (call: Call) => (minute: number) => (minute < start ? success : call);

describe.each(Object.entries(outages))("if %s", (_, call) => {
  test.each([
    ["an hour", 10_000, 60],
    ["five minutes", 1_000_000, 5],
    ["two minutes", 100_000_000, 2],
  ] as const)("an alarm fires within %s at %i calls a month", (_time, callsPerMonth, most) => {
    // The functions need a minute each for the first five throttled calls.
    const seeds = callsPerMonth > 1_000_000 ? [1] : [1, 2, 3, 4, 5, 6, 7, 8];
    const limit = call === outages["Lambda has no capacity"] ? Math.max(most, 5) : most;
    for (const seed of seeds) {
      const calls = traffic(callsPerMonth, start + (callsPerMonth > 1_000_000 ? 10 : 61), seed, duringOutage(call));
      const first = Math.min(...Object.values(alarmsIn(metricsOf(calls))));
      expect(first, `seed ${seed}`).toBeGreaterThanOrEqual(start);
      expect(first, `seed ${seed}`).toBeLessThanOrEqual(start + limit);
    }
  });

  test("an alarm fires within an hour even if a scanner sends a thousand times as many rejected calls", () => {
    const scanned = traffic(10_000_000, start + 61, 2, () => refused);
    const calls = traffic(10_000, start + 61, 1, duringOutage(call)).map((few, minute) => [
      ...few,
      ...(scanned[minute] ?? []),
    ]);

    expect(Math.min(...Object.values(alarmsIn(metricsOf(calls))))).toBeLessThanOrEqual(start + 60);
  });
});

describe("no alarm fires", () => {
  const night = (calls: Record<number, Call[]> = {}) => Array.from({ length: 600 }, (_, minute) => calls[minute] ?? []);

  test("in a night without calls", () => {
    expect(alarmsIn(metricsOf(night()))).toEqual({});
  });

  test.each(Object.entries(outages))("if a night's only call is repeated twice because %s", (_, call) => {
    expect(alarmsIn(metricsOf(night({ 300: [call, call, call] })))).toEqual({});
  });

  test("for one failure in a thousand calls", () => {
    let count = 0;
    const calls = traffic(10_000_000, 240, 1, () => (++count % 1000 === 0 ? failed : success));

    expect(alarmsIn(metricsOf(calls))).toEqual({});
  });

  test("for a burst of calls above Lambda's concurrency", () => {
    const burst: Call = { access: access("503", "429") };
    const calls = traffic(1_000_000, 240, 1, (minute) => (minute >= start && minute < start + 4 ? burst : success));

    expect(alarmsIn(metricsOf(calls))).toEqual({});
  });

  test("for a scanner's requests without a token or to unknown paths", () => {
    const other = (status: string, integration: string, route: string): Call => ({
      access: access(status, integration, route),
    });
    const received = [
      ...[other("404", "200", "$default"), other("429", "-", "$default"), other("503", "429", "$default")],
      ...[other("200", "200", "GET /"), other("503", "429", "GET /"), other("500", "200", "GET /assets/{file+}")],
      refused,
    ];
    let count = 0;
    const calls = traffic(100_000_000, 70, 1, () => received[count++ % received.length] ?? refused);

    expect(alarmsIn(metricsOf(calls))).toEqual({});
  });
});

test("the server-error alarm clears an hour after the last failure", () => {
  const calls = traffic(1_000_000, end + 90, 1, (minute) =>
    minute >= start && minute < start + 30 ? failed : success,
  );
  const metrics = metricsOf(calls);
  const on = minutesInAlarm(alarms["server-errors"], metrics, { fillsUnknown: true });

  // CloudWatch would replace missing values by older ones.
  expect(metrics.EndpointFailures).not.toContain(undefined);
  expect(on.at(-1)).toBeLessThan(start + 30 + 60);
});

/** The values of metrics in the minutes of an hour, from minute 30 on. */
type Values = Readonly<Record<string, readonly number[]>>;

const hourWith = (values: Values): Record<string, Series> =>
  Object.fromEntries(
    Object.entries(values).map(([name, some]) => [
      name,
      Array.from({ length: 60 }, (_, minute): number | undefined => some[minute - 30]),
    ]),
  );

const quarter = (value: number) => Array<number>(15).fill(value);

// Tests both cases, because CloudWatch's documentation does not say which applies.
describe.each([true, false])("if FILL has values for an unknown metric: %s", (fillsUnknown) => {
  const isOn = (name: string, values: Values): boolean =>
    minutesInAlarm(alarms[name], hourWith(values), { fillsUnknown }).length > 0;

  test.each<[name: string, fault: Values, less: Values]>([
    [
      "v1-get-key-failing",
      { VersionFailures: [2, 2], Invocations: [66, 66] },
      { VersionFailures: [2, 2], Invocations: [67, 67] },
    ],
    [
      "v1-get-key-failing",
      { Errors: [2, 0, 2], Invocations: [20, 20, 20] },
      { Errors: [1, 1, 1, 1], Invocations: [20, 20, 20, 20] },
    ],
    [
      "v1-get-key-failing",
      { VersionFailures: [1, 1], Errors: [1, 1], Invocations: [2, 2] },
      { VersionFailures: [9], Errors: [0, 0], Invocations: [9, 9] },
    ],
    ["site-failing", { Errors: [2, 2] }, { Errors: [2, 1, 1, 1] }],
    ["admin-http-failing", { Errors: [1, 1], VersionFailures: [1, 1] }, { VersionFailures: [1, 1, 1] }],
    ["fallback-failing", { VersionFailures: [2, 2] }, { VersionFailures: [1, 1, 1] }],
    ["admin-failing", { VersionFailures: [2, 2] }, { VersionFailures: [5] }],
    // Three attempts at one delivery, and deliveries that never ran.
    ["usage-failing", { Errors: [1, 1, 0, 1] }, { Errors: [1, 0, 0, 0, 0] }],
    ["usage-failing", { AsyncEventsDropped: [1, 1] }, { AsyncEventsDropped: [0] }],
    ["notices-failing", { Errors: [1] }, { Errors: [0] }],
    ["leaked-token", { LeakSignals: [1] }, { LeakSignals: [] }],
    ["too-many-requests", { TooManyRequests: [50, 50] }, { TooManyRequests: [50, 49] }],
    ["unreadable-record", { UnreadableRecords: [1] }, { UnreadableRecords: [] }],
    ["database-unavailable", { Unavailable: [3, 2] }, { Unavailable: [3, 1] }],
    ["functions-unfinished", { Unfinished: [2, 2] }, { Unfinished: [1, 1, 1, 1] }],
    [
      "slow-responses",
      { Count: quarter(100), "Latency p50": quarter(10), "Latency p99": quarter(1000) },
      { Count: quarter(99), "Latency p50": quarter(10), "Latency p99": quarter(1000) },
    ],
    [
      "slow-responses",
      { Count: quarter(2), "Latency p50": quarter(1000), "Latency p99": quarter(1000) },
      { Count: quarter(1), "Latency p50": quarter(1000), "Latency p99": quarter(1000) },
    ],
  ])("%s fires for %j, but not for %j", (name, fault, less) => {
    expect(isOn(name, fault)).toBe(true);
    expect(isOn(name, less)).toBe(false);
  });

  test("notices-missing fires 26 hours after the last run, and never if the daily search runs", () => {
    const days = (count: number) =>
      Array.from({ length: 5 * 24 * 60 }, (_, minute) =>
        minute % 1440 === 360 && minute < count * 1440 ? 1 : undefined,
      );
    const on = (count: number) =>
      minutesInAlarm(alarms["notices-missing"], { DailySearches: days(count) }, { fillsUnknown });

    expect(on(5)).toEqual([]);
    expect(on(3)[0]).toBe(2 * 1440 + 360 + 26 * 60 + 1);
    expect(on(0)).not.toEqual([]);
  });
});
