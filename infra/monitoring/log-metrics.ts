import { Metric, type MetricOptions, Unit } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { ServiceLogs } from "../constructs/service-logs.ts";

type LogName = keyof Pick<ServiceLogs, "access" | "requests" | "admin" | "usage">;

interface LogMetric {
  logs: readonly LogName[];
  /** A filter pattern of CloudWatch Logs for lines of JSON. */
  lines: string;
  /** Its value in minutes in which other lines of the log arrive. The metric is then paid for all the time. */
  defaultValue?: number;
  /** Counted separately for each value of these fields. Each value is a metric of its own, which costs $0.30 a month. */
  dimensions?: Readonly<Record<string, string>>;
}

const all = (...conditions: string[]): string => conditions.map((condition) => `(${condition})`).join(" && ");
const any = (...conditions: string[]): string => conditions.map((condition) => `(${condition})`).join(" || ");

/** A request to an endpoint, in the access log. All other routes are `$default` and those of the site and the admins. */
const endpointRoute = '$.route = "*/api/v*"';

/** API Gateway's own 429: no function got the request. */
const throttledByGateway = all('$.status = "429"', '$.integration_status = "-"');

/** A request of an admin's browser, in the access log. */
const adminRoute = '$.route = "* /admin/*"';

/** Lambda had no capacity to run the function. */
const throttledByLambda = '$.integration_status = "429"';

/**
 * A 5xx, sent by the function, or by API Gateway because the function ended without a valid response. Lambda's own 429 is not a
 * failure of the service: it has an alarm of its own.
 */
const failedAtEndpoint = all(endpointRoute, '$.status = "5*"', '$.integration_status != "429"');

/** Lambda's lines about an environment that did not start and about a call that did not end. */
const didNotStart = all('$.type = "platform.initReport"', '$.record.status = "error"');
const didNotEnd = all(
  any('$.type = "platform.initReport"', '$.type = "platform.report"'),
  any('$.record.status = "timeout"', '$.record.status = "failure"'),
);

/**
 * The metrics for alarms, counted from lines that are logged anyway, at no cost to the functions. Figures that only the
 * dashboard shows are queried from the logs, which costs nothing while nobody looks.
 */
export const logMetrics = {
  /** Without refused calls, of which a scanner can send any number. */
  EndpointCalls: {
    logs: ["access"],
    lines: `{ ${all(endpointRoute, any('$.status = "2*"', '$.status = "3*"', '$.status = "5*"'))} }`,
  },
  /** With a default, because CloudWatch would look for older values after the last failure, and keep the alarm on. */
  EndpointFailures: { logs: ["access"], lines: `{ ${failedAtEndpoint} }`, defaultValue: 0 },
  Throttled: { logs: ["access"], lines: `{ ${all(any(endpointRoute, adminRoute), throttledByLambda)} }` },
  /**
   * Calls with a 5xx response from a version, and failed invocations of the admin function. Lambda's own count of errors lacks
   * handled failures and includes refused invocations. A metric exists, and is paid for, only in the hours in which its version
   * fails.
   */
  VersionFailures: {
    logs: ["requests", "admin"],
    lines: `{ ${any("$.status >= 500", all('$.level = "ERROR"', '$.actor = "invoke:*"'))} }`,
    dimensions: { Function: "$.function_name", Version: "$.function_version" },
  },
  /** The scheduled runs that completed. */
  DailySearches: { logs: ["usage"], lines: `{ ${all('$.message = "notices"', '$.task = "daily"')} }` },
  /** Lambda's own lines, in which no version is named. */
  Unfinished: { logs: ["requests", "admin", "usage"], lines: `{ ${any(didNotStart, didNotEnd)} }` },
  // Without the 429 that a function sends for a token above its rate limit.
  TooManyRequests: { logs: ["access"], lines: `{ ${all(endpointRoute, throttledByGateway)} }` },
  Unavailable: { logs: ["requests"], lines: `{ ${all('$.message = "request"', '$.code = "unavailable"')} }` },
  LeakSignals: { logs: ["requests"], lines: "{ $.leak_signal = * }" },
} as const satisfies Record<string, LogMetric>;

export type LogMetricName = keyof typeof logMetrics;

interface LogMetricsProps {
  logs: Record<LogName, ILogGroup>;
  /** `Shop/prod` */
  namespace: string;
}

/** The service's own metrics. */
export class LogMetrics extends Construct {
  readonly namespace: string;

  constructor(scope: Construct, id: string, { logs, namespace }: LogMetricsProps) {
    super(scope, id);
    this.namespace = namespace;
    for (const [metricName, { logs: names, lines, ...counted }] of Object.entries<LogMetric>(logMetrics)) {
      for (const [index, name] of names.entries()) {
        // Ids are part of the logical ids in deployed stacks, so the id of the first filter is just the metric's name.
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
