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

/** The lines that functions have logged, without the prefix that the local run adds to each. */
const linesOf = (functionName: (name: string) => boolean): Line[] =>
  [...service.logged().matchAll(/^\[(.+?)\] (\{.+\})$/gm)].flatMap(([, name = "", line = ""]) =>
    functionName(name) ? [JSON.parse(line)] : [],
  );
const requestLines = () => linesOf((name) => name !== "admin");
const adminLines = () => linesOf((name) => name === "admin");
const countedIn = (name: LogMetricName, lines: Line[]) => lines.filter(readFilterPattern(logMetrics[name].lines));

/** A line that Lambda itself writes in the JSON format, as its Telemetry API documents them. */
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

/** The line of the runtime if the handler throws, which the admin function does for each refusal. */
const thrown = {
  timestamp: "2026-11-21T10:15:30.123Z",
  level: "ERROR",
  requestId: "6f6b4c0a-0000-4000-8000-000000000000",
  message: { errorType: "token_not_found", errorMessage: "There is no such token.", stackTrace: [] },
};

describe("what is counted from the functions' own lines", () => {
  test("is each correct secret from a wrong address", async () => {
    const token = await service.issueToken("127.0.0.7");
    await service.call("GET", "/api/v1/token", { token });

    expect(countedIn("LeakSignals", requestLines())).toEqual([
      expect.objectContaining({ code: "ip_not_allowed", source_ip: "127.0.0.1" }),
    ]);
  });

  test("is each run of the schedule that comes to its end, and no run by hand and no check", async () => {
    for (const task of ["daily", "again", "check"]) await service.invoke("notices", { task });
    const lines = linesOf((name) => name === "notices");

    expect(lines.map(({ task }) => task)).toEqual(expect.arrayContaining(["daily", "again"]));
    expect(new Set(countedIn("DailySearches", lines).map(({ task }) => task))).toEqual(new Set(["daily"]));
  });

  test("is each answer of 503, and none as long as the service works", () => {
    const line = { timestamp: "…", level: "ERROR", message: "request", status: 503, code: "unavailable" };

    expect(countedIn("Unavailable", requestLines())).toEqual([]);
    expect(countedIn("Unavailable", [line, { ...line, code: "internal_error" }])).toEqual([line]);
  });

  test("is not a line of the admin function as long as it works, whatever it refuses", async () => {
    await expect(service.admin({ action: "get", token_id: "01J00000000000000000000000" })).rejects.toMatchObject({
      errorType: "token_not_found",
    });
    const lines = [...adminLines(), thrown, invocation("platform.report", "error"), initReport("success")];

    expect(lines.length).toBeGreaterThan(4);
    expect([...countedIn("VersionFailures", lines), ...countedIn("Unfinished", lines)]).toEqual([]);
  });

  test("is one line for each failure of the admin function, by invocation and over HTTP", () => {
    const failure = { level: "ERROR", message: "admin", code: "internal_error" };
    const byInvocation = [{ ...failure, actor: "invoke:6f6b4c0a" }, thrown, invocation("platform.report", "error")];
    const byHttp = [
      { ...failure, actor: "alice@example.com" },
      { level: "ERROR", message: "request", actor: "alice@example.com", status: 500, code: "internal_error" },
    ];

    expect(countedIn("VersionFailures", byInvocation)).toHaveLength(1);
    expect(countedIn("VersionFailures", byHttp)).toHaveLength(1);
  });

  test("is each 5xx, with the version that failed, and no other response", async () => {
    const line = { level: "ERROR", message: "request", status: 500, function_name: "get-key", function_version: "7" };
    const { dimensions } = logMetrics.VersionFailures;

    expect(countedIn("VersionFailures", requestLines())).toEqual([]);
    expect(countedIn("VersionFailures", [line, { ...line, status: 422 }])).toEqual([line]);
    // CloudWatch counts no line that lacks one of the fields.
    for (const field of Object.values(dimensions)) expect(Object.keys(line)).toContain(field.replace("$.", ""));
  });

  test.each(["timeout", "failure"])("is one line for a call that ended with %s", (status) => {
    const lines = ["platform.runtimeDone", "platform.report"].map((type) => invocation(type, status));

    expect(countedIn("Unfinished", lines)).toHaveLength(1);
  });

  test.each(["error", "timeout", "failure"])("is a start of a function that ended with %s", (status) => {
    expect(countedIn("Unfinished", [initReport(status)])).toHaveLength(1);
  });
});

describe("what is counted from the access log", () => {
  const routesOf = (isEndpoint: boolean) =>
    functionsOf(api)
      .filter(({ kind }) => (kind === "endpoint") === isEndpoint)
      .flatMap(({ routeKeys }) => routeKeys.map(({ key }) => key));

  /** A line as the stage writes it. */
  const line = (route: string, status: string, integration_status = status): Line => {
    const [stage] = Object.values(template.ofType("AWS::ApiGatewayV2::Stage"));
    const { Format } = z.object({ Format: z.string() }).parse(stage?.Properties.AccessLogSettings);
    return { ...JSON.parse(Format), route, status, integration_status };
  };

  test("are the calls to endpoints, and to no other route", () => {
    const isCounted = (route: string) => countedIn("EndpointCalls", [line(route, "200")]).length === 1;

    for (const route of routesOf(true)) expect(isCounted(route), route).toBe(true);
    for (const route of routesOf(false)) expect(isCounted(route), route).toBe(false);
  });

  test("are failures of endpoints", () => {
    const [route = ""] = routesOf(true);
    const failures = [
      // The function responded with 5xx; it ended without a response or did not start; it did not end in time.
      line(route, "503", "200"),
      line(route, "500", "200"),
      line(route, "503", "-"),
      line(route, "500", "403"),
    ];
    // Lambda had no capacity; API Gateway's own throttle; and calls that are not failures.
    const others = [line(route, "503", "429"), line(route, "429", "-"), line(route, "200"), line(route, "404", "200")];

    expect(countedIn("EndpointFailures", [...failures, ...others])).toEqual(failures);
  });

  test.each(["EndpointCalls", "EndpointFailures", "TooManyRequests"] as const)(
    "is nothing that a scanner causes: %s",
    (name) => {
      const scanned = routesOf(false).flatMap((route) => [
        line(route, "429", "-"),
        line(route, "500", "429"),
        line(route, "503", "429"),
        line(route, "503", "-"),
        line(route, "404", "200"),
      ]);

      expect(countedIn(name, scanned)).toEqual([]);
    },
  );

  test("is each error, on every path and whoever answered it", () => {
    const errors = [line("$default", "404"), line("GET /", "429", "-"), line("GET /api/v1/key", "500")];

    expect(countedIn("LoggedErrors", [...errors, line("GET /", "304"), line("GET /", "200")])).toEqual(errors);
  });

  test("is API Gateway's own 429 of an endpoint, but not the 429 of a token that exceeds its limit", () => {
    const [route = ""] = routesOf(true);
    const throttled = line(route, "429", "-");

    expect(countedIn("TooManyRequests", [throttled, line(route, "429", "200"), line(route, "200")])).toEqual([
      throttled,
    ]);
  });
});

test("every filter counts the lines, each once, of the log that contains them", () => {
  const filters = Object.values(template.ofType("AWS::Logs::MetricFilter")).map(({ Properties }) => {
    const [transformation, ...others] = transformations.parse(Properties.MetricTransformations);
    expect([transformation, others]).toEqual([expect.objectContaining({ MetricValue: "1", Unit: "Count" }), []]);
    const [, log] = /(Access|Requests|Admin|Usage)/.exec(JSON.stringify(Properties.LogGroupName)) ?? [];
    return [transformation?.MetricName, log];
  });

  expect(filters.map(([name, log]) => `${name} ${log?.toLowerCase()}`).toSorted()).toEqual(
    Object.entries(logMetrics)
      .flatMap(([name, { logs }]) => logs.map((log) => `${name} ${log}`))
      .toSorted(),
  );
});

const transformations = z.array(z.looseObject({ MetricName: z.string() }));
