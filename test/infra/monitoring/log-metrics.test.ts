import { readFilterPattern } from "cdk-local-runner/parts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { type LogMetricName, logMetrics } from "../../../infra/monitoring/log-metrics.ts";
import { startService, type TestService } from "../../support/service.ts";
import { readTemplate, type Template } from "../../support/template.ts";

let service: TestService;
let template: Template;
beforeAll(async () => {
  template = await readTemplate();
  service = await startService();
});
afterAll(() => service.close());

type Line = Record<string, unknown>;

/** The lines that functions have logged, without the prefix that the local run adds to each. */
const linesOf = (functionName: (name: string) => boolean): Line[] =>
  [...service.logged().matchAll(/^\[(.+?)\] (\{.+\})$/gm)].flatMap(([, name = "", line = ""]) =>
    functionName(name) ? [JSON.parse(line)] : [],
  );
const requestLines = () => linesOf((name) => name !== "admin");
const countedIn = (name: LogMetricName, lines: Line[]) => lines.filter(readFilterPattern(logMetrics[name].lines));

describe("the functions' log lines are counted:", () => {
  test("each refusal, by its reason", async () => {
    await service.call("GET", "/api/v1/key", { token: null });
    await service.call("GET", "/api/v1/nowhere");
    await service.call("GET", "/api/v1/token");
    const codes = countedIn("Refusals", requestLines()).map(({ code }) => code);

    expect(codes).toEqual(expect.arrayContaining(["token_missing", "endpoint_not_found"]));
    expect(codes).toHaveLength(2);
  });

  test("each correct secret from a wrong address", async () => {
    const token = await service.issueToken("127.0.0.7");
    await service.call("GET", "/api/v1/token", { token });

    expect(countedIn("LeakSignals", requestLines())).toEqual([
      expect.objectContaining({ code: "ip_not_allowed", source_ip: "127.0.0.1" }),
    ]);
  });

  test("the start of each environment, once", async () => {
    for (let call = 0; call < 3; call += 1) await service.call("GET", "/api/v1/token");
    const route = "GET /api/v1/token";

    expect(countedIn("ColdStarts", requestLines()).filter((line) => line.route === route)).toHaveLength(1);
  });

  test("each failure of the service, and none as long as it works", () => {
    expect(countedIn("ServerErrors", requestLines())).toEqual([]);
    expect(
      countedIn(
        "AdminFailures",
        linesOf((name) => name === "admin"),
      ),
    ).toEqual([]);

    expect(countedIn("ServerErrors", [{ message: "request", status: 503, route: "GET /api/v1/key" }])).toHaveLength(1);
    expect(countedIn("AdminFailures", [{ level: "error" }, { record: { status: "timeout" } }])).toHaveLength(2);
  });
});

test("every metric of the access log uses fields that its lines have, as strings", () => {
  const [stage] = Object.values(template.ofType("AWS::ApiGatewayV2::Stage"));
  const { Format } = z.object({ Format: z.string() }).parse(stage?.Properties.AccessLogSettings);
  const line = (status: string, integration_status = status) => ({ ...JSON.parse(Format), status, integration_status });
  const [throttled, limited] = [line("429", "-"), line("429")];

  expect(countedIn("TooManyRequests", [throttled, limited, line("200")])).toEqual([throttled]);
  expect(countedIn("Calls", [throttled, limited, line("200")])).toHaveLength(3);
});

test("every filter is on the log that contains its lines", () => {
  const filters = Object.values(template.ofType("AWS::Logs::MetricFilter"));
  const logs = Object.fromEntries(
    filters.map(({ Metadata, Properties }) => [
      String(Metadata["aws:cdk:path"]).split("/").at(-2),
      /(Access|Requests|Admin)/.exec(JSON.stringify(Properties.LogGroupName))?.[1]?.toLowerCase(),
    ]),
  );

  expect(logs).toEqual(Object.fromEntries(Object.entries(logMetrics).map(([name, { log }]) => [name, log])));
});
