import { Metric, type MetricOptions, Unit } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { ServiceLogs } from "../constructs/logs/service-logs.ts";
import type { StageName } from "../stages/stage.ts";

interface LogMetric {
  log: keyof Pick<ServiceLogs, "access" | "requests" | "admin" | "usage">;
  /** A filter pattern of CloudWatch Logs for lines of JSON. */
  lines: string;
  /** Counted separately for each value of these fields. Each value is a metric of its own, which costs $0.30 a month. */
  dimensions?: Readonly<Record<string, string>>;
}

const all = (...conditions: string[]): string => conditions.map((condition) => `(${condition})`).join(" && ");
const any = (...conditions: string[]): string => conditions.map((condition) => `(${condition})`).join(" || ");

/** A request to an endpoint, in the access log. All other routes are `$default` and those of the site and the admins. */
const endpointRoute = '$.route = "*/api/v*"';

/** API Gateway's own 429: it passed the request on to no function. */
const throttledByGateway = all('$.status = "429"', '$.integration_status = "-"');

/**
 * A 5xx, whoever answered it: the function, or API Gateway because the function ended without a valid response. Lambda's own
 * 429 is not a failure of the service; the function's alarm for throttling covers it.
 */
const failedAtEndpoint = all(endpointRoute, '$.status = "5*"', '$.integration_status != "429"');

/** Lambda's lines about an environment that did not start and about a call that did not end. */
const didNotStart = all('$.type = "platform.initReport"', '$.record.status = "error"');
const didNotEnd = all(
  any('$.type = "platform.initReport"', '$.type = "platform.report"'),
  any('$.record.status = "timeout"', '$.record.status = "failure"'),
);

/**
 * What alarms count, from lines that are logged anyway, at no cost to the functions. What only the dashboard shows is queried
 * from the logs instead, which costs nothing while nobody looks.
 */
export const logMetrics = {
  EndpointCalls: { log: "access", lines: `{ ${endpointRoute} }` },
  EndpointFailures: { log: "access", lines: `{ ${failedAtEndpoint} }` },
  /** The same for each endpoint. A metric exists, and is paid for, only in the hours in which its endpoint fails. */
  RouteFailures: { log: "access", lines: `{ ${failedAtEndpoint} }`, dimensions: { Route: "$.route" } },
  /** On all paths, to be compared with API Gateway's own count. */
  LoggedErrors: { log: "access", lines: `{ ${any('$.status = "4*"', '$.status = "5*"')} }` },
  // Not the 429 of a token that exceeds its rate limit, which its function answers.
  TooManyRequests: { log: "access", lines: `{ ${all(endpointRoute, throttledByGateway)} }` },
  Unavailable: { log: "requests", lines: `{ ${all('$.message = "request"', '$.code = "unavailable"')} }` },
  LeakSignals: { log: "requests", lines: "{ $.leak_signal = * }" },
  /** The runs of the schedule that came to their end. */
  DailySearches: { log: "usage", lines: `{ ${all('$.message = "notices"', '$.task = "daily"')} }` },
  // Lambda's own count of errors includes refusals, which an invocation receives as errors. A failure over HTTP has two lines,
  // of which only the one with the status counts.
  AdminFailures: {
    log: "admin",
    lines: `{ ${any("$.status >= 500", all('$.level = "ERROR"', '$.actor = "invoke:*"'), didNotStart, didNotEnd)} }`,
  },
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
