import { Duration } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
  Stats,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { ServiceLogs } from "../constructs/service-logs.ts";
import type { ServiceTable } from "../constructs/service-tables.ts";
import type { MonitoredFunction } from "../constructs/traffic-shift.ts";
import type { LogMetrics } from "./log-metrics.ts";
import type { ServiceAlarm } from "./service-alarm.ts";
import { indexDimensions } from "./table-alarms.ts";

/** The functions of a stack, with their alarms. */
export interface WatchedFunctions {
  title: string;
  functions: MonitoredFunction[];
  alarms: ServiceAlarm[];
}

interface ServiceDashboardProps {
  /** The functions of the API's own stack, and the functions of each resource with its own stack. */
  watched: readonly [WatchedFunctions, ...WatchedFunctions[]];
  httpApi: HttpApi;
  logs: ServiceLogs;
  metrics: LogMetrics;
  tables: readonly ServiceTable[];
}

const period = Duration.minutes(5);
const third = { width: 8, height: 6 };
const half = { width: 12, height: 6 };
const heading = (markdown: string) => new TextWidget({ markdown: `# ${markdown}`, width: 24, height: 1 });

/** Returns the units and throttles of a table and of its indexes, which DynamoDB counts separately. */
const tableMetrics = ({ store, declaration, resource }: ServiceTable): IMetric[] =>
  [undefined, ...Object.keys(declaration.indexes ?? {})].flatMap((index) =>
    ["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "ReadThrottleEvents", "WriteThrottleEvents"].map(
      (name) =>
        resource.metric(name, {
          statistic: "Sum",
          label: `${index === undefined ? store : `${store}.${index}`}: ${name}`,
          ...(index !== undefined && { dimensionsMap: indexDimensions(resource, index) }),
        }),
    ),
  );

/** A dashboard that answers three questions: is the service healthy, who uses it, and what is rejected? */
export class ServiceDashboard extends Dashboard {
  constructor(
    scope: Construct,
    id: string,
    { watched: [own, ...resources], httpApi, logs, metrics, tables }: ServiceDashboardProps,
  ) {
    super(scope, id, { defaultInterval: Duration.hours(12) });

    const graph = (title: string, left: IMetric[], size = third) => new GraphWidget({ title, left, period, ...size });
    const query = (
      title: string,
      logName: "access" | "requests",
      queryLines: string[],
      view = LogQueryVisualizationType.TABLE,
      size = half,
    ) => new LogQueryWidget({ title, logGroupNames: [logs[logName].logGroupName], view, queryLines, ...size });

    const alarms = ({ title, alarms }: WatchedFunctions, size: { width: number; height: number }) =>
      new AlarmStatusWidget({ title, alarms, ...size });
    const graphs = ({ functions }: WatchedFunctions) => [
      graph(
        "Duration in ms, p99",
        functions.map(({ name, alias }) => alias.metricDuration({ statistic: Stats.p(99), label: name })),
      ),
      graph(
        "Running at once",
        functions.map(({ name, alias }) =>
          alias.metric("ConcurrentExecutions", { statistic: Stats.MAXIMUM, label: name }),
        ),
      ),
    ];

    this.addWidgets(heading("Is it well?"));
    this.addWidgets(alarms(own, { width: 24, height: 5 }));
    this.addWidgets(
      graph("Calls and errors", [
        httpApi.metricCount({ statistic: "Sum", label: "calls" }),
        httpApi.metricClientError({ statistic: "Sum", label: "4xx" }),
        httpApi.metricServerError({ statistic: "Sum", label: "5xx" }),
      ]),
      graph(
        "Latency in ms",
        ["p50", "p99"].map((statistic) => httpApi.metricLatency({ statistic, label: statistic })),
      ),
      query(
        "Cold starts",
        "requests",
        ["filter ispresent(cold_start)", "stats count(*) as cold_starts by bin(5m)"],
        LogQueryVisualizationType.BAR,
        third,
      ),
    );
    this.addWidgets(
      ...graphs(own),
      graph("DynamoDB: units and throttles", tables.flatMap(tableMetrics)),
      graph("Cold starts that rejected their code cache", [metrics.sum("RejectedCodeCaches")]),
    );
    for (const one of resources) this.addWidgets(alarms(one, third), ...graphs(one));

    this.addWidgets(heading("Who is using it?"));
    this.addWidgets(
      query("Calls by endpoint and status", "access", [
        "stats count(*) as calls, pct(latency_ms, 99) as p99_ms by route, status",
        "sort calls desc",
        "limit 50",
      ]),
      query("Tokens with the most calls", "requests", [
        'filter message = "request" and ispresent(token_id)',
        "stats count(*) as calls, count_distinct(route) as routes, max(@timestamp) as last by token_id, source_ip",
        "sort calls desc",
        "limit 20",
      ]),
    );

    this.addWidgets(heading("What is rejected?"));
    this.addWidgets(
      query("Refusals by reason", "requests", [
        'filter message = "request" and ispresent(code)',
        "stats count(*) as refusals by code",
        "sort refusals desc",
      ]),
      query("Clients with the most refusals", "requests", [
        'filter message = "request" and ispresent(code)',
        "stats count(*) as refusals by source_ip, code, route",
        "sort refusals desc",
        "limit 20",
      ]),
    );
    this.addWidgets(
      graph("Calls to endpoints that API Gateway rejected with 429", [metrics.sum("TooManyRequests")]),
      graph("Correct secrets from wrong addresses", [metrics.sum("LeakSignals")]),
      graph("Records left out of pages", [metrics.sum("UnreadableRecords")]),
    );
  }
}
