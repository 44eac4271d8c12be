import type { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";

/**
 * The sum of metrics that may have gaps. It also has a value if one of the metrics has never had any, whether or not CloudWatch
 * fills such a metric: `SUM` adds up what there is, while `+` needs both sides.
 */
export const sumOf = (metrics: Record<string, IMetric>, period: Duration): MathExpression =>
  new MathExpression({
    expression: `SUM([${Object.keys(metrics)
      .map((name) => `FILL(${name}, 0)`)
      .join(", ")}])`,
    usingMetrics: metrics,
    label: "sum",
    period,
  });
