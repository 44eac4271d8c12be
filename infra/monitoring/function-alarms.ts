import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, type IMetric, MathExpression, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { LiveFunction } from "../constructs/service-function.ts";
import type { LogMetrics } from "./log-metrics.ts";
import { type AlarmRule, type AlarmTarget, ServiceAlarm } from "./service-alarm.ts";
import { sumOf } from "./sum-of.ts";

interface FunctionAlarmsProps extends AlarmTarget {
  function: LiveFunction;
  metrics: LogMetrics;
}

const period = Duration.minutes(1);
const lasting = { bad: 2, of: 5 };

/** The alarms of one function. */
export class FunctionAlarms extends Construct {
  /** Fires if calls of the version that the template deploys fail. A new version is then rolled back. */
  readonly failing: ServiceAlarm;

  constructor(scope: Construct, id: string, { function: target, metrics, ...alarmTarget }: FunctionAlarmsProps) {
    super(scope, id);
    const alarm = (problem: string, rule: AlarmRule) =>
      new ServiceAlarm(this, `${target.name}-${problem}`, { ...rule, ...alarmTarget });

    this.failing = alarm("failing", failureRule(target, metrics));
    if (target.kind === "notices") alarm("missing", missingSearch(metrics));
  }
}

const failureRule = (target: LiveFunction, metrics: LogMetrics): AlarmRule => {
  if (target.kind === "endpoint") return shareOfFailures(target, metrics);
  if (target.kind === "usage") return lostLines(target);
  if (target.kind === "job") return failedEvents(target);
  return target.kind === "notices" ? failedSearch(target) : numberOfFailures(target, metrics);
};

/**
 * Counts the 5xx responses of the deployed version, which Lambda does not count as errors. A minute without 5xx responses has no
 * value.
 */
const failedCalls = ({ alias }: LiveFunction, metrics: LogMetrics): IMetric =>
  metrics.sum("VersionFailures", {
    period,
    dimensionsMap: { Function: alias.lambda.functionName, Version: alias.version.version },
  });

/** Counts the invocations of the deployed version that ended without a response. Other versions may be serving at the same time. */
const endedCalls = ({ alias }: LiveFunction): IMetric =>
  alias.metricErrors({
    period,
    dimensionsMap: {
      FunctionName: alias.lambda.functionName,
      Resource: `${alias.lambda.functionName}:${alias.aliasName}`,
      ExecutedVersion: alias.version.version,
    },
  });

/** Used for endpoints, which have enough calls for a ratio. */
const shareOfFailures = (target: LiveFunction, metrics: LogMetrics): AlarmRule => ({
  // A percentage of all calls. A canary gets a tenth of the calls, so the threshold must be well below 10 %. A single failure does
  // not count.
  metric: new MathExpression({
    expression: "IF(failures >= 2, 100 * failures / calls, 0)",
    usingMetrics: {
      failures: sumOf({ failed: failedCalls(target, metrics), ended: endedCalls(target) }, period),
      calls: target.alias.metricInvocations({ period }),
    },
    label: "failures in percent",
    period,
  }),
  threshold: 3,
  periods: lasting,
  summary: `At least 3 % of the calls of ${target.name} fail.`,
  section: "A function fails",
});

/** Used for functions that serve people and unknown paths, because each of their failures is unexpected. */
const numberOfFailures = (target: LiveFunction, metrics: LogMetrics): AlarmRule => ({
  // If this function rejects an action, its invocation ends with an error too.
  metric:
    target.kind === "admin"
      ? failedCalls(target, metrics)
      : sumOf({ failed: failedCalls(target, metrics), ended: endedCalls(target) }, period),
  threshold: 2,
  periods: lasting,
  summary: `The function ${target.name} fails at least twice a minute.`,
  section: "A function fails",
});

/**
 * Fires if an event keeps failing or is lost. Lambda tries each event three times, waits up to several hours if it lacks
 * concurrency, and then drops the event. A queue repeats its messages.
 */
const repeatedFailures = (target: LiveFunction) => ({
  metric: sumOf(
    {
      ended: endedCalls(target),
      dropped: target.alias.lambda.metric("AsyncEventsDropped", { period, statistic: "Sum" }),
    },
    period,
  ),
  threshold: 1,
  // The attempts are made in different minutes.
  periods: lasting,
});

const failedEvents = (target: LiveFunction): AlarmRule => ({
  ...repeatedFailures(target),
  summary: `The job ${target.name} keeps failing.`,
  section: "A function fails",
});

const lostLines = (target: LiveFunction): AlarmRule => ({
  ...repeatedFailures(target),
  summary: "Log lines are not counted, and leaks are not reported at once. Admins see too few calls.",
  section: "The use of tokens is not counted",
});

/** Fires if the daily run fails. Counts the runs of all versions, because the next run is a day away. */
const failedSearch = ({ alias }: LiveFunction): AlarmRule => ({
  metric: alias.metricErrors({ period: Duration.minutes(5) }),
  threshold: 1,
  summary: "A search for notices failed, or some notices could not be sent.",
  section: "Notices are not sent",
});

const missingSearch = (metrics: LogMetrics): AlarmRule => ({
  // Hours without a run need a value. Otherwise, CloudWatch would look for older values and the alarm would fire days late.
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
  section: "Notices are not sent",
});
