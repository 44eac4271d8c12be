import { Metric, type MetricOptions, Unit } from "aws-cdk-lib/aws-cloudwatch";
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { ServiceLogs } from "../constructs/service-logs.ts";

type LogName = keyof Pick<ServiceLogs, "access" | "requests" | "admin" | "usage">;

interface LogMetric {
  logs: readonly LogName[];
  /** A CloudWatch Logs filter pattern for lines of JSON. */
  lines: string;
  /**
   * The metric's value for minutes in which only other lines of the log arrive. A metric with a default value is billed all the
   * time.
   */
  defaultValue?: number;
  /** Counts separately for each value of these fields. Each value is a separate metric that costs $0.30 per month. */
  dimensions?: Readonly<Record<string, string>>;
}

const all = (...conditions: string[]): string => conditions.map((condition) => `(${condition})`).join(" && ");
const any = (...conditions: string[]): string => conditions.map((condition) => `(${condition})`).join(" || ");

/** Matches requests to endpoints in the access log. All other routes are `$default` and the routes of the site and of admins. */
const endpointRoute = '$.route = "*/api/v*"';

/** Matches API Gateway's own 429, which means that no function received the request. */
const throttledByGateway = all('$.status = "429"', '$.integration_status = "-"');

/** Matches requests of admins' browsers in the access log. */
const adminRoute = '$.route = "* /admin/*"';

/** Matches requests for which Lambda had no capacity to run the function. */
const throttledByLambda = '$.integration_status = "429"';

/**
 * Matches a 5xx from the function, or from API Gateway because the function ended without a valid response. Lambda's own 429 is not
 * a failure of the service and has a separate alarm.
 */
const failedAtEndpoint = all(endpointRoute, '$.status = "5*"', '$.integration_status != "429"');

/** Matches Lambda's lines about environments that did not start and about invocations that did not end. */
const didNotStart = all('$.type = "platform.initReport"', '$.record.status = "error"');
const didNotEnd = all(
  any('$.type = "platform.initReport"', '$.type = "platform.report"'),
  any('$.record.status = "timeout"', '$.record.status = "failure"'),
);

/**
 * The metrics for alarms. They are counted from lines that are logged anyway, at no cost to the functions. Figures that only the
 * dashboard shows are queried from the logs, which costs nothing unless somebody looks.
 */
export const logMetrics = {
  /** Excludes rejected calls, because a scanner can send any number of them. */
  EndpointCalls: {
    logs: ["access"],
    lines: `{ ${all(endpointRoute, any('$.status = "2*"', '$.status = "3*"', '$.status = "5*"'))} }`,
  },
  /**
   * The metric has a default value. Otherwise, after the last failure, CloudWatch would look for older values and keep the alarm
   * on.
   */
  EndpointFailures: { logs: ["access"], lines: `{ ${failedAtEndpoint} }`, defaultValue: 0 },
  Throttled: { logs: ["access"], lines: `{ ${all(any(endpointRoute, adminRoute), throttledByLambda)} }` },
  /**
   * Calls with a 5xx response from a version, and failed invocations of the admin function. Lambda's own error count omits handled
   * failures and includes rejected invocations. A metric exists, and is billed, only in the hours in which its version fails.
   */
  VersionFailures: {
    logs: ["requests", "admin"],
    lines: `{ ${any("$.status >= 500", all('$.level = "ERROR"', '$.actor = "invoke:*"'))} }`,
    dimensions: { Function: "$.function_name", Version: "$.function_version" },
  },
  /** The scheduled runs that completed. */
  DailySearches: { logs: ["usage"], lines: `{ ${all('$.message = "notices"', '$.task = "daily"')} }` },
  /** Lambda's own lines, which do not name a version. */
  Unfinished: { logs: ["requests", "admin", "usage"], lines: `{ ${any(didNotStart, didNotEnd)} }` },
  // Excludes the 429 that a function sends for a token above its rate limit.
  TooManyRequests: { logs: ["access"], lines: `{ ${all(endpointRoute, throttledByGateway)} }` },
  Unavailable: { logs: ["requests"], lines: `{ ${all('$.message = "request"', '$.code = "unavailable"')} }` },
  /** Items left out of pages. A damaged item counts each time that a page would contain it. */
  UnreadableRecords: { logs: ["requests", "admin", "usage"], lines: '{ $.message = "unreadable_record" }' },
  /** Cold starts whose code cache V8 rejected. No alarm uses this metric, because the function only starts more slowly. */
  RejectedCodeCaches: { logs: ["requests"], lines: '{ $.code_cache = "rejected" }' },
  LeakSignals: { logs: ["requests"], lines: "{ $.leak_signal = * }" },
} as const satisfies Record<string, LogMetric>;

export type LogMetricName = keyof typeof logMetrics;

interface LogMetricsProps {
  logs: Record<LogName, ILogGroup>;
  /** Such as `Shop/prod`. */
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

  /** Returns the count in a period. */
  sum(metricName: LogMetricName, options: MetricOptions = {}): Metric {
    return new Metric({ namespace: this.namespace, metricName, statistic: "Sum", ...options });
  }
}
