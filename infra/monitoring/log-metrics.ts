import { Metric, type MetricOptions, Unit } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { ServiceLogs } from "../constructs/logs/service-logs.ts";
import type { StageName } from "../stages/stage.ts";

interface LogMetric {
  log: keyof Pick<ServiceLogs, "access" | "requests" | "admin">;
  /** A filter pattern of CloudWatch Logs for lines of JSON. */
  lines: string;
  /** Counted separately for each value of these fields. Each value is a metric, billed for the hours in which it appears. */
  dimensions?: Readonly<Record<string, string>>;
}

/**
 * What is counted from lines that are logged anyway, at no cost to the functions. Dimensions have few values, whatever clients
 * send: the routes of the template, and the statuses and codes of the error catalogue.
 */
export const logMetrics = {
  Calls: { log: "access", lines: "{ $.status = * }", dimensions: { Route: "$.route", Status: "$.status" } },
  // Only API Gateway's own 429. A token that exceeds its rate limit is refused by a function, which is no reason for an alarm.
  TooManyRequests: { log: "access", lines: '{ ($.status = "429") && ($.integration_status = "-") }' },
  Refusals: {
    log: "requests",
    lines: '{ ($.message = "request") && ($.code = *) }',
    dimensions: { Code: "$.code" },
  },
  ServerErrors: {
    log: "requests",
    lines: '{ ($.message = "request") && ($.status >= 500) }',
    dimensions: { Route: "$.route" },
  },
  LeakSignals: { log: "requests", lines: "{ $.leak_signal = * }" },
  ColdStarts: { log: "requests", lines: "{ $.cold_start IS TRUE }" },
  // Lambda's own count of errors includes refusals, which an invocation receives as errors.
  AdminFailures: { log: "admin", lines: '{ ($.level = "error") || ($.record.status = "timeout") }' },
} as const satisfies Record<string, LogMetric>;

export type LogMetricName = keyof typeof logMetrics;

interface LogMetricsProps {
  logs: Record<LogMetric["log"], ILogGroup>;
  stage: StageName;
}

/** The service's own metrics. */
export class LogMetrics extends Construct {
  readonly namespace: string;

  constructor(scope: Construct, id: string, { logs, stage }: LogMetricsProps) {
    super(scope, id);
    this.namespace = `IntegrationApi/${stage}`;
    for (const [metricName, { log, lines, ...counted }] of Object.entries<LogMetric>(logMetrics)) {
      new MetricFilter(this, metricName, {
        logGroup: logs[log],
        filterPattern: FilterPattern.literal(lines),
        metricNamespace: this.namespace,
        metricName,
        metricValue: "1",
        unit: Unit.COUNT,
        ...counted,
      });
    }
  }

  /** The count in a period. */
  sum(metricName: LogMetricName, options: MetricOptions = {}): Metric {
    return new Metric({ namespace: this.namespace, metricName, statistic: "Sum", ...options });
  }
}
