import { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Alias } from "aws-cdk-lib/aws-lambda";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import { doorOf } from "../stages/stage.ts";
import type { LogMetrics } from "./log-metrics.ts";
import { ServiceAlarm } from "./service-alarm.ts";

/** A function that is deployed, as it is watched and changed. */
export interface LiveFunction {
  name: string;
  live: Alias;
  /** The routes that it answers, as API Gateway has them. */
  routes: string[];
}

interface FunctionAlarmsProps {
  function: LiveFunction;
  metrics: LogMetrics;
  topic: ITopic;
}

const period = Duration.minutes(1);

/** The alarms of one function. */
export class FunctionAlarms extends Construct {
  /** Its calls fail: what a new version is taken back for. */
  readonly failing: ServiceAlarm;

  constructor(scope: Construct, id: string, { function: { name, live, routes }, metrics, topic }: FunctionAlarmsProps) {
    super(scope, id);
    const failures = failuresOf({ name, live, routes }, metrics);
    const count = Object.keys(failures)
      .map((failure) => `FILL(${failure}, 0)`)
      .join(" + ");
    this.failing = new ServiceAlarm(this, "Failing", {
      // A canary has a tenth of the calls, so the share must be well below that. One failure alone is not a share.
      metric: new MathExpression({
        expression: `IF(${count} >= 2, 100 * (${count}) / calls, 0)`,
        usingMetrics: { ...failures, calls: live.metricInvocations({ period }) },
        label: "failures in percent",
        period,
      }),
      threshold: 3,
      periods: { bad: 2, of: 5 },
      tells: `At least 3 % of the calls of ${name} fail.`,
      runbook: "A function fails",
      topic,
    });
    // Those whose concurrency is capped are throttled by intent, and the account's concurrency is the others' own concern.
    if (doorOf(name) === "endpoint" || doorOf(name) === "admin") {
      new ServiceAlarm(this, "Throttled", {
        metric: live.metricThrottles({ period: Duration.minutes(5) }),
        threshold: 1,
        tells: `Lambda had no room to run ${name}.`,
        runbook: "A function is throttled",
        topic,
      });
    }
    if (doorOf(name) === "usage") {
      new ServiceAlarm(this, "LinesLost", {
        // Lambda tries three times, and waits for hours if it has no room: then it drops the delivery.
        metric: live.lambda.metric("AsyncEventsDropped", { period: Duration.minutes(5), statistic: "Sum" }),
        threshold: 1,
        tells: "Log lines were not counted: what admins see of the use of tokens lacks them.",
        runbook: "The use of tokens is not counted",
        topic,
      });
    }
  }
}

/** What counts as a failure: a function that ended without an answer, and where there is one, an answer of 5xx. */
const failuresOf = ({ name, live, routes }: LiveFunction, metrics: LogMetrics): Record<string, IMetric> => {
  const ended = { ended: live.metricErrors({ period }) };
  switch (doorOf(name)) {
    case "admin":
      return { failed: metrics.sum("AdminFailures", { period }) };
    case "endpoint":
      return {
        ...ended,
        ...Object.fromEntries(
          routes.map((Route, index) => [
            `answered${index}`,
            metrics.sum("ServerErrors", { period, dimensionsMap: { Route } }),
          ]),
        ),
      };
    default:
      return ended;
  }
};
