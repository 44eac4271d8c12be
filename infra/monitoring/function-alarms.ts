import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { LiveFunction } from "../constructs/functions/service-function.ts";
import type { LogMetrics } from "./log-metrics.ts";
import { ServiceAlarm } from "./service-alarm.ts";

interface FunctionAlarmsProps {
  function: LiveFunction;
  metrics: LogMetrics;
  topic: ITopic;
}

const period = Duration.minutes(1);

/** The alarms of one function. */
export class FunctionAlarms extends Construct {
  /** Fires if its calls fail. A new version is then rolled back. */
  readonly failing: ServiceAlarm;

  constructor(scope: Construct, id: string, { function: target, metrics, topic }: FunctionAlarmsProps) {
    super(scope, id);
    const { name, kind, alias } = target;
    const failures = failuresOf(target, metrics);
    const count = Object.keys(failures)
      .map((failure) => `FILL(${failure}, 0)`)
      .join(" + ");
    this.failing = new ServiceAlarm(this, "Failing", {
      // A canary gets a tenth of the calls, so the threshold must be well below 10 %. A single failure does not count.
      metric: new MathExpression({
        expression: `IF(${count} >= 2, 100 * (${count}) / calls, 0)`,
        usingMetrics: { ...failures, calls: alias.metricInvocations({ period }) },
        label: "failures in percent",
        period,
      }),
      threshold: 3,
      periods: { bad: 2, of: 5 },
      tells: `At least 3 % of the calls of ${name} fail.`,
      runbook: "A function fails",
      topic,
    });
    // The other kinds have a concurrency cap, which is meant to throttle them.
    if (kind === "endpoint" || kind === "admin") {
      new ServiceAlarm(this, "Throttled", {
        metric: alias.metricThrottles({ period: Duration.minutes(5) }),
        threshold: 1,
        tells: `Lambda had no room to run ${name}.`,
        runbook: "A function is throttled",
        topic,
      });
    }
    if (kind === "usage") {
      new ServiceAlarm(this, "LinesLost", {
        // Lambda tries three times, waits up to hours if it lacks concurrency, and then drops the delivery.
        metric: alias.lambda.metric("AsyncEventsDropped", { period: Duration.minutes(5), statistic: "Sum" }),
        threshold: 1,
        tells: "Log lines were not counted: what admins see of the use of tokens lacks them.",
        runbook: "The use of tokens is not counted",
        topic,
      });
    }
  }
}

/** What counts as a failure: an invocation that ended without an answer, and for some kinds an answer of 5xx. */
const failuresOf = ({ kind, alias, routeKeys }: LiveFunction, metrics: LogMetrics): Record<string, IMetric> => {
  const ended = { ended: alias.metricErrors({ period }) };
  switch (kind) {
    case "admin":
      return { failed: metrics.sum("AdminFailures", { period }) };
    case "endpoint":
      return {
        ...ended,
        ...Object.fromEntries(
          routeKeys.map(({ key: Route }, index) => [
            `answered${index}`,
            metrics.sum("ServerErrors", { period, dimensionsMap: { Route } }),
          ]),
        ),
      };
    default:
      return ended;
  }
};
