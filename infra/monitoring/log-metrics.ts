import { Metric, type MetricOptions, Unit } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { ServiceLogs } from "../constructs/logs/service-logs.ts";
import type { StageName } from "../stages/stage.ts";

type LogName = keyof Pick<ServiceLogs, "access" | "requests" | "admin" | "usage">;

interface LogMetric {
  logs: readonly LogName[];
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
  EndpointCalls: { logs: ["access"], lines: `{ ${endpointRoute} }` },
  EndpointFailures: { logs: ["access"], lines: `{ ${failedAtEndpoint} }` },
  /**
   * Calls that a version has answered with 5xx, and invocations of the admin function that failed. Lambda's own count of errors
   * has no handled failures, but the refusals of such invocations. A metric exists, and is paid for, only in the hours in which
   * its version fails.
   */
  VersionFailures: {
    logs: ["requests", "admin"],
    lines: `{ ${any("$.status >= 500", all('$.level = "ERROR"', '$.actor = "invoke:*"'))} }`,
    dimensions: { Function: "$.function_name", Version: "$.function_version" },
  },
  /** On all paths, to be compared with API Gateway's own count. */
  LoggedErrors: { logs: ["access"], lines: `{ ${any('$.status = "4*"', '$.status = "5*"')} }` },
  /** The runs of the schedule that came to their end. */
  DailySearches: { logs: ["usage"], lines: `{ ${all('$.message = "notices"', '$.task = "daily"')} }` },
  /** Lambda's own lines, in which no version is named. */
  Unfinished: { logs: ["requests", "admin", "usage"], lines: `{ ${any(didNotStart, didNotEnd)} }` },
  // Not the 429 of a token that exceeds its rate limit, which its function answers.
  TooManyRequests: { logs: ["access"], lines: `{ ${all(endpointRoute, throttledByGateway)} }` },
  Unavailable: { logs: ["requests"], lines: `{ ${all('$.message = "request"', '$.code = "unavailable"')} }` },
  LeakSignals: { logs: ["requests"], lines: "{ $.leak_signal = * }" },
} as const satisfies Record<string, LogMetric>;

export type LogMetricName = keyof typeof logMetrics;

interface LogMetricsProps {
  logs: Record<LogName, ILogGroup>;
  stage: StageName;
}

/** The service's own metrics. */
export class LogMetrics extends Construct {
  readonly namespace: string;

  constructor(scope: Construct, id: string, { logs, stage }: LogMetricsProps) {
    super(scope, id);
    this.namespace = `IntegrationApi/${stage}`;
    for (const [metricName, { logs: names, lines, ...counted }] of Object.entries<LogMetric>(logMetrics)) {
      for (const [index, name] of names.entries()) {
        // Ids are part of the logical ids in deployed stacks, so the first filter has no more than the metric's name.
        new MetricFilter(this, index === 0 ? metricName : `${metricName}-${name}`, {
          logGroup: logs[name],
          filterPattern: FilterPattern.literal(lines),
          metricNamespace: this.namespace,
          metricName,
          metricValue: "1",
          unit: Unit.COUNT,
          ...counted,
        });
      }
    }
  }

  /** The count in a period. */
  sum(metricName: LogMetricName, options: MetricOptions = {}): Metric {
    return new Metric({ namespace: this.namespace, metricName, statistic: "Sum", ...options });
  }
}
