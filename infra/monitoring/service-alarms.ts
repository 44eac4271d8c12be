import { Duration } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { rightsOf, type StoreName, storeNames } from "../../lambdas/resources/stores.ts";
import type { Tables } from "../constructs/data/service-tables.ts";
import type { LogMetrics } from "./log-metrics.ts";
import { ServiceAlarm } from "./service-alarm.ts";

interface ServiceAlarmsProps {
  httpApi: HttpApi;
  tables: Tables;
  metrics: LogMetrics;
  topic: ITopic;
}

const period = Duration.minutes(5);

/** The alarms about the service as its clients see it, and about its database. */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, { httpApi, tables, metrics, topic }: ServiceAlarmsProps) {
    super(scope, id);

    new ServiceAlarm(this, "ServerErrors", {
      metric: new MathExpression({
        expression: "IF(failures >= 5, 100 * failures / calls, 0)",
        usingMetrics: {
          failures: httpApi.metricServerError({ period, statistic: "Sum" }),
          calls: httpApi.metricCount({ period, statistic: "Sum" }),
        },
        label: "5xx in percent",
        period,
      }),
      threshold: 1,
      tells: "At least 1 % of all calls are answered with 5xx.",
      runbook: "Server errors",
      topic,
    });
    new ServiceAlarm(this, "Latency", {
      metric: httpApi.metricLatency({ period, statistic: "p99" }),
      threshold: 1000,
      periods: { bad: 3, of: 3 },
      tells: "For a quarter of an hour, one call in a hundred has taken a second or more.",
      runbook: "Slow answers",
      topic,
    });
    new ServiceAlarm(this, "TooManyRequests", {
      metric: metrics.sum("TooManyRequests", { period }),
      threshold: 100,
      tells: "API Gateway has refused a hundred calls or more with 429 in five minutes.",
      runbook: "Too many requests",
      topic,
    });
    new ServiceAlarm(this, "LeakedToken", {
      metric: metrics.sum("LeakSignals", { period }),
      threshold: 1,
      tells: "A token came with its right secret from an address that is not its own.",
      runbook: "A token has leaked",
      topic,
    });
    new ServiceAlarm(this, "DatabaseUnavailable", {
      metric: metrics.sum("Refusals", { period, dimensionsMap: { Code: "unavailable" } }),
      threshold: 5,
      tells: "Calls were answered 503 because DynamoDB did not answer, or not in time.",
      runbook: "The database fails or throttles",
      topic,
    });

    for (const store of storeNames) {
      const table = tables[store];
      new ServiceAlarm(this, `${store}-throttled`, {
        metric: sumOf(
          ["ReadThrottleEvents", "WriteThrottleEvents"].map((name) => table.metric(name, { period, statistic: "Sum" })),
        ),
        threshold: 1,
        tells: `DynamoDB throttles the table of the ${store}.`,
        runbook: "The database fails or throttles",
        topic,
      });
      new ServiceAlarm(this, `${store}-errors`, {
        metric: sumOf(
          operationsOn(store).map((operation) =>
            table.metric("SystemErrors", {
              period,
              statistic: "Sum",
              dimensionsMap: { TableName: table.tableName, Operation: operation },
            }),
          ),
        ),
        threshold: 5,
        tells: `DynamoDB fails on the table of the ${store}.`,
        runbook: "The database fails or throttles",
        topic,
      });
    }
  }
}

/** The sum of metrics that may have gaps, each of which would otherwise be a gap in the sum. */
const sumOf = (metrics: IMetric[]): MathExpression =>
  new MathExpression({
    expression: metrics.map((_, index) => `FILL(m${index}, 0)`).join(" + "),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
    label: "sum",
    period,
  });

/** The actions that the service performs on a table. DynamoDB counts errors for each of them separately. */
const operationsOn = (store: StoreName): string[] => [
  ...new Set(rightsOf(store).map((right) => (typeof right === "string" ? right : right.action))),
];
