import { readFilterPattern } from "cdk-local-runner/parts";
import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { functionsOf } from "../../infra/functions.ts";
import { type LogMetricName, logMetrics } from "../../infra/monitoring/log-metrics.ts";
import { api } from "../../lambdas/api.ts";
import { sharedService, type TestService } from "../support/service.ts";
import { readTemplate, type Template } from "../support/template.ts";

let service: TestService;
let template: Template;
beforeAll(async () => {
  template = await readTemplate();
  service = await sharedService();
});

type Line = Record<string, unknown>;

/** Returns the lines that functions have logged, without the prefix that the local run adds to each. */
const linesOf = (functionName: (name: string) => boolean): Line[] =>
  [...service.logged().matchAll(/^\[(.+?)\] (\{.+\})$/gm)].flatMap(([, name = "", line = ""]) =>
    functionName(name) ? [JSON.parse(line)] : [],
  );
const requestLines = () => linesOf((name) => !name.startsWith("admin"));
const adminLines = () => linesOf((name) => name.startsWith("admin"));
const countedIn = (name: LogMetricName, lines: Line[]) => lines.filter(readFilterPattern(logMetrics[name].lines));

/** Returns the metrics that count any of the lines. */
const countedAs = (lines: Line[], names: LogMetricName[]) => names.filter((name) => countedIn(name, lines).length > 0);

/** A line that Lambda itself writes in JSON format, as documented for its Telemetry API. */
const platformLine = (type: string, record: object) => ({ time: "2026-11-21T10:15:30.123Z", type, record });
const initReport = (status: string) =>
  platformLine("platform.initReport", {
    initializationType: "on-demand",
    phase: "init",
    status,
    metrics: { durationMs: 10000.487 },
  });
const invocation = (type: string, status: string) =>
  platformLine(type, { requestId: "6f6b4c0a-0000-4000-8000-000000000000", status, metrics: { durationMs: 29000 } });

/** The runtime's line if the handler throws, which the admin function does for each rejection. */
const thrown = { level: "ERROR", message: { errorType: "token_not_found", errorMessage: "There is no such token." } };
const adminFailure = { level: "ERROR", message: "admin", code: "internal_error" };
const failure = { level: "ERROR", message: "request", status: 500, function_name: "get-key", function_version: "7" };

describe("the filters of the functions' own lines", () => {
  test("count each use of a correct secret from a wrong address", async () => {
    const token = await service.issueToken("127.0.0.7");
    await service.call("GET", "/api/v1/token", { token });

    expect(countedIn("LeakSignals", requestLines())).toEqual([
      expect.objectContaining({ code: "ip_not_allowed", source_ip: "127.0.0.1" }),
    ]);
  });

  test("count each completed scheduled run, but no manual runs", async () => {
    for (const task of ["daily", "again"]) await service.invoke("notices", { task });
    const lines = linesOf((name) => name === "notices");

    expect(lines.map(({ task }) => task)).toEqual(expect.arrayContaining(["daily", "again"]));
    expect(new Set(countedIn("DailySearches", lines).map(({ task }) => task))).toEqual(new Set(["daily"]));
  });

  test("count no failures while the service works", () => {
    expect(requestLines().length).toBeGreaterThan(0);
    expect(countedAs(requestLines(), ["Unavailable", "VersionFailures", "Unfinished"])).toEqual([]);
  });

  test("count no lines of a working admin function, whatever it rejects", async () => {
    await expect(service.admin({ action: "get", token_id: "01J00000000000000000000000" })).rejects.toMatchObject({
      errorType: "token_not_found",
    });
    const lines = [...adminLines(), thrown, invocation("platform.report", "error"), initReport("success")];

    expect(lines.length).toBeGreaterThan(4);
    expect(countedAs(lines, ["VersionFailures", "Unfinished"])).toEqual([]);
  });

  test.each<[string, Line, LogMetricName[]]>([
    ["a failure", failure, ["VersionFailures"]],
    [
      "a failure while the database cannot be reached",
      { ...failure, status: 503, code: "unavailable" },
      ["VersionFailures", "Unavailable"],
    ],
    ["a refused request", { ...failure, status: 422 }, []],
    [
      "a failure of the admin function by invocation",
      { ...adminFailure, actor: "invoke:6f6b4c0a" },
      ["VersionFailures"],
    ],
    // Each of these follows a counted line.
    ["a failure of the admin function over HTTP", { ...adminFailure, actor: "alice@example.com" }, []],
    ["an error that the handler throws", thrown, []],
    ["a call that ended with an error", invocation("platform.report", "error"), []],
    ["a call that was over in time", invocation("platform.runtimeDone", "timeout"), []],
    ["a call that took too long", invocation("platform.report", "timeout"), ["Unfinished"]],
    ["a call that broke", invocation("platform.report", "failure"), ["Unfinished"]],
    ["a start with an error", initReport("error"), ["Unfinished"]],
    ["a start that took too long", initReport("timeout"), ["Unfinished"]],
    ["a start that broke", initReport("failure"), ["Unfinished"]],
  ])("count %s once: %j in %j", (_, line, names) => {
    expect(countedAs([line], ["VersionFailures", "Unfinished", "Unavailable"])).toEqual(names);
  });

  test("count each failure with its version, because CloudWatch ignores lines without one of the fields", () => {
    const { dimensions } = logMetrics.VersionFailures;

    for (const field of Object.values(dimensions)) expect(failure).toHaveProperty(field.replace("$.", ""));
  });
});

describe("the filters of the access log", () => {
  const routesOf = (kind: string) =>
    functionsOf(api)
      .filter((one) => (/^endpoint|^admin/.exec(one.kind)?.[0] ?? "other") === kind)
      .flatMap(({ routeKeys }) => routeKeys.map(({ key }) => key));

  /** A line in the stage's format. */
  const line = (route: string, status: string, integration_status: string): Line => {
    const [stage] = template.propertiesOf("AWS::ApiGatewayV2::Stage");
    const { Format } = z.object({ Format: z.string() }).parse(stage?.AccessLogSettings);
    return { ...JSON.parse(Format), route, status, integration_status };
  };

  const accessMetrics: LogMetricName[] = ["EndpointCalls", "EndpointFailures", "TooManyRequests", "Throttled"];
  const calls: LogMetricName[] = ["EndpointCalls"];
  const failures: LogMetricName[] = ["EndpointCalls", "EndpointFailures"];

  test.each<[string, string, string, LogMetricName[]]>([
    ["endpoint", "200", "200", calls],
    ["endpoint", "404", "200", []],
    // The function responded with 5xx; it ended without a response or did not start; it did not end in time.
    ["endpoint", "503", "200", failures],
    ["endpoint", "500", "200", failures],
    ["endpoint", "503", "-", failures],
    ["endpoint", "500", "403", failures],
    // Lambda had no capacity, the token exceeded its limit, or API Gateway throttled the call.
    ["endpoint", "503", "429", ["EndpointCalls", "Throttled"]],
    ["endpoint", "429", "200", []],
    ["endpoint", "429", "-", ["TooManyRequests"]],
    // Responses to a scanner are not an endpoint's failures.
    ["other", "200", "200", []],
    ["other", "304", "304", []],
    ["other", "404", "200", []],
    ["other", "429", "-", []],
    ["other", "503", "429", []],
    ["other", "503", "-", []],
    ["admin", "503", "429", ["Throttled"]],
    ["admin", "429", "-", []],
    ["admin", "500", "200", []],
  ])("on every %s route, count the status %s with %s from the function as %j", (kind, status, integration, names) => {
    for (const route of routesOf(kind)) {
      expect(countedAs([line(route, status, integration)], accessMetrics), route).toEqual(names);
    }
  });
});

test("every filter counts each matching line of its log once", () => {
  const filters = template.propertiesOf("AWS::Logs::MetricFilter").map(({ MetricTransformations, LogGroupName }) => {
    const [transformation, ...others] = transformations.parse(MetricTransformations);
    expect([transformation, others]).toEqual([expect.objectContaining({ MetricValue: "1", Unit: "Count" }), []]);
    const metric = logMetrics[transformation?.MetricName as LogMetricName];
    expect(transformation?.DefaultValue).toBe("defaultValue" in metric ? metric.defaultValue : undefined);
    const [, log] = /(Access|Requests|Admin|Usage)/.exec(JSON.stringify(LogGroupName)) ?? [];
    return [transformation?.MetricName, log];
  });

  expect(filters.map(([name, log]) => `${name} ${log?.toLowerCase()}`).toSorted()).toEqual(
    Object.entries(logMetrics)
      .flatMap(([name, { logs }]) => logs.map((log) => `${name} ${log}`))
      .toSorted(),
  );
});

const transformations = z.array(z.looseObject({ MetricName: z.string(), DefaultValue: z.optional(z.number()) }));
