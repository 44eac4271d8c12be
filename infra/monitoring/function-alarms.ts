import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { LiveFunction } from "../constructs/service-function.ts";
import type { LogMetrics } from "./log-metrics.ts";
import { type AlarmRule, type AlarmTarget, ServiceAlarm } from "./service-alarm.ts";

interface FunctionAlarmsProps extends AlarmTarget {
  function: LiveFunction;
  metrics: LogMetrics;
}

const period = Duration.minutes(1);

/** The alarms of one function. */
export class FunctionAlarms extends Construct {
  /** Fires if calls of the version that the template deploys fail. A new version is then rolled back. */
  readonly failing: ServiceAlarm;

  constructor(scope: Construct, id: string, { function: target, metrics, ...alarmTarget }: FunctionAlarmsProps) {
    super(scope, id);
    const { name, kind, alias } = target;
    const alarm = (problem: string, about: AlarmRule) =>
      new ServiceAlarm(this, `${name}-${problem}`, { ...about, ...alarmTarget });

    this.failing = alarm("failing", {
      ...(kind === "endpoint" ? shareOfFailures(target, metrics) : numberOfFailures(target, metrics)),
      periods: { bad: 2, of: 5 },
      runbook: "A function fails",
    });
    // Only these are called by clients that wait for a response.
    if (["endpoint", "admin", "admin-http"].includes(kind)) {
      alarm("throttled", {
        metric: alias.metricThrottles({ period }),
        threshold: 1,
        // A short refusal of a burst of calls does not need anybody's attention, whoever sent it.
        periods: { bad: 3, of: 5 },
        summary: `Lambda has had no capacity to run ${name} for several minutes.`,
        runbook: "A function is throttled",
      });
    }
    if (kind === "notices") {
      alarm("failed", {
        metric: alias.metricErrors({ period: Duration.minutes(5) }),
        threshold: 1,
        summary: "A search for notices failed, or some notices could not be sent.",
        runbook: "Notices are not sent",
      });
      alarm("missing", {
        // Hours without a run need a value: CloudWatch would otherwise look for older ones, and fire days late.
        metric: new MathExpression({
          expression: "FILL(runs, 0)",
          usingMetrics: { runs: metrics.sum("DailySearches", { period: Duration.hours(1) }) },
          label: "runs",
          period: Duration.hours(1),
        }),
        threshold: 1,
        comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
        missing: TreatMissingData.BREACHING,
        periods: { bad: 26, of: 26 },
        summary: "The daily search for notices has not completed for 26 hours.",
        runbook: "Notices are not sent",
      });
    }
    if (kind === "usage") {
      alarm("lines-lost", {
        // Lambda tries three times, waits up to hours if it lacks concurrency, and then drops the delivery.
        metric: alias.lambda.metric("AsyncEventsDropped", { period: Duration.minutes(5), statistic: "Sum" }),
        threshold: 1,
        summary:
          "Log lines were not counted, or a notice of a leak could not be sent at once: admins see too few calls, or get the notice the next day.",
        runbook: "The use of tokens is not counted",
      });
    }
  }
}

/**
 * The failures of the version that the template deploys. Other versions, which may serve beside it, are not counted. Without a
 * failure in a minute, there is no metric.
 */
const failuresOf = ({ kind, alias }: LiveFunction, metrics: LogMetrics): Record<string, IMetric> => ({
  // The function's 5xx responses, which Lambda does not count as errors. These two functions send no responses.
  ...(kind !== "usage" &&
    kind !== "notices" && {
      failed: metrics.sum("VersionFailures", {
        period,
        dimensionsMap: { Function: alias.lambda.functionName, Version: alias.version.version },
      }),
    }),
  // Invocations that ended without a response. The admin function also ends like this if it refuses an invocation.
  ...(kind !== "admin" && {
    ended: alias.metricErrors({
      period,
      dimensionsMap: {
        FunctionName: alias.lambda.functionName,
        Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
        ExecutedVersion: alias.version.version,
      },
    }),
  }),
});

const filled = (failures: Record<string, IMetric>): string =>
  Object.keys(failures)
    .map((name) => `FILL(${name}, 0)`)
    .join(" + ");

/** For endpoints, which have enough calls for a ratio. */
const shareOfFailures = (target: LiveFunction, metrics: LogMetrics) => {
  const failures = failuresOf(target, metrics);
  const count = filled(failures);
  return {
    // A percentage of all calls. A canary gets a tenth of them, so the threshold must be well below 10 %. A single failure does
    // not count.
    metric: new MathExpression({
      expression: `IF(${count} >= 2, 100 * (${count}) / calls, 0)`,
      usingMetrics: { ...failures, calls: target.alias.metricInvocations({ period }) },
      label: "failures in percent",
      period,
    }),
    threshold: 3,
    summary: `At least 3 % of the calls of ${target.name} fail.`,
  };
};

/** For all other functions: each of their failures is unexpected. */
const numberOfFailures = (target: LiveFunction, metrics: LogMetrics) => {
  const failures = failuresOf(target, metrics);
  return {
    metric: new MathExpression({ expression: filled(failures), usingMetrics: failures, label: "failures", period }),
    threshold: 2,
    summary: `The function ${target.name} fails at least twice a minute.`,
  };
};
