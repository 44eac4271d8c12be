import { Duration } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { AnyTable } from "../../lambdas/dynamodb/table.ts";
import { rightsOn } from "../../lambdas/dynamodb/uses.ts";
import type { ServiceTable } from "../constructs/service-tables.ts";
import type { LogMetrics } from "./log-metrics.ts";
import { type AlarmRule, type AlarmTarget, ServiceAlarm } from "./service-alarm.ts";

interface ServiceAlarmsProps extends AlarmTarget {
  httpApi: HttpApi;
  tables: readonly ServiceTable[];
  metrics: LogMetrics;
}

const period = Duration.minutes(5);

/** The alarms about the service as its clients see it, and about its database. */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, { httpApi, tables, metrics, ...target }: ServiceAlarmsProps) {
    super(scope, id);
    const alarm = (name: string, about: AlarmRule) => new ServiceAlarm(this, name, { ...about, ...target });

    alarm("server-errors", {
      metric: new MathExpression({
        expression: "IF(FILL(failures, 0) >= 5, 100 * failures / calls, 0)",
        usingMetrics: {
          failures: metrics.sum("EndpointFailures", { period }),
          calls: metrics.sum("EndpointCalls", { period }),
        },
        label: "5xx in percent",
        period,
      }),
      threshold: 1,
      summary: "At least 1 % of the calls to endpoints get a 5xx response.",
      runbook: "Server errors",
    });
    alarm("slow-responses", {
      // With few calls, the slowest percent is a single cold start or a single long page.
      metric: new MathExpression({
        expression: "IF(calls >= 500, slowest, IF(calls >= 10, usual, 0))",
        usingMetrics: {
          calls: httpApi.metricCount({ period, statistic: "Sum" }),
          slowest: httpApi.metricLatency({ period, statistic: "p99" }),
          usual: httpApi.metricLatency({ period, statistic: "p50" }),
        },
        label: "milliseconds",
        period,
      }),
      threshold: 1000,
      periods: { bad: 3, of: 3 },
      summary:
        "For a quarter of an hour, one call in a hundred (one in two if there are few) has taken a second or more.",
      runbook: "Slow responses",
    });
    alarm("too-many-requests", {
      metric: metrics.sum("TooManyRequests", { period }),
      threshold: 100,
      summary: "API Gateway has refused at least a hundred calls to endpoints with 429 in five minutes.",
      runbook: "Too many requests",
    });
    alarm("unlogged-errors", {
      // In a flood, API Gateway may not log its 429s, nor its 5xxs when it fails itself. Its metrics count both.
      metric: new MathExpression({
        expression: "IF(FILL(logged, 0) <= 0.9 * counted, counted - FILL(logged, 0), 0)",
        usingMetrics: {
          counted: sumOf([
            httpApi.metricClientError({ period, statistic: "Sum" }),
            httpApi.metricServerError({ period, statistic: "Sum" }),
          ]),
          logged: metrics.sum("LoggedErrors", { period }),
        },
        label: "errors without a line",
        period,
      }),
      threshold: 100,
      // The log may lag behind the metrics, but not by a whole period.
      periods: { bad: 2, of: 2 },
      summary: "Twice in a row, API Gateway's log lacked at least a hundred calls with a 4xx or 5xx response.",
      runbook: "Too many requests",
    });
    alarm("leaked-token", {
      metric: metrics.sum("LeakSignals", { period }),
      threshold: 1,
      summary: "The correct secret of a token was sent from an address other than its own.",
      runbook: "A token has leaked",
    });
    alarm("database-unavailable", {
      metric: metrics.sum("Unavailable", { period }),
      threshold: 5,
      summary: "Calls got a 503 because DynamoDB did not respond, or not in time.",
      runbook: "The database fails or throttles",
    });

    alarm("functions-unfinished", {
      metric: metrics.sum("Unfinished", { period: Duration.minutes(1) }),
      threshold: 2,
      periods: { bad: 2, of: 5 },
      summary: "Functions time out, crash or do not start, at least twice a minute.",
      runbook: "A function fails",
    });

    for (const { store, declaration, resource: table } of tables) {
      alarm(`${store}-table-throttled`, {
        metric: sumOf(
          ["ReadThrottleEvents", "WriteThrottleEvents"].map((name) => table.metric(name, { period, statistic: "Sum" })),
        ),
        threshold: 1,
        summary: `DynamoDB throttles the table ${store}.`,
        runbook: "The database fails or throttles",
      });
      alarm(`${store}-table-errors`, {
        metric: sumOf(
          operationsOn(declaration).map((operation) =>
            table.metric("SystemErrors", {
              period,
              statistic: "Sum",
              dimensionsMap: { TableName: table.tableName, Operation: operation },
            }),
          ),
        ),
        threshold: 5,
        summary: `DynamoDB reports internal errors on the table ${store}.`,
        runbook: "The database fails or throttles",
      });
    }
  }
}

/** The sum of metrics that may have gaps. Without a default value, each gap would be a gap in the sum. */
const sumOf = (metrics: IMetric[]): MathExpression =>
  new MathExpression({
    expression: metrics.map((_, index) => `FILL(m${index}, 0)`).join(" + "),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    label: "sum",
    period,
  });

/** The actions that the service performs on a table. DynamoDB counts errors for each of them separately. */
const operationsOn = (table: AnyTable): string[] => [
  ...new Set(rightsOn(table).map((right) => (typeof right === "string" ? right : right.action))),
];
