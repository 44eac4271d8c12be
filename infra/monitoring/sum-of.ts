import type { Duration } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";

/**
 * Adds up metrics that may have gaps. The sum has a value even if one of the metrics has never had one, whether or not CloudWatch
 * fills in that metric. `SUM` adds up the existing values, while `+` needs both operands.
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
