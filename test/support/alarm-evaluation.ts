import * as z from "zod/mini";

/** A metric's values by minute. A minute without data has no value. */
export type Series = readonly (number | undefined)[];

const metricShape = z.object({ MetricName: z.string() });
const alarmShape = z.object({
  ComparisonOperator: z.enum(["GreaterThanOrEqualToThreshold", "LessThanThreshold"]),
  Threshold: z.number(),
  EvaluationPeriods: z.number(),
  DatapointsToAlarm: z.number(),
  TreatMissingData: z.enum(["breaching", "notBreaching"]),
  MetricName: z.optional(z.string()),
  Statistic: z.optional(z.string()),
  Period: z.optional(z.number()),
  Metrics: z._default(
    z.array(
      z.object({
        Id: z.string(),
        Expression: z.optional(z.string()),
        MetricStat: z.optional(z.object({ Metric: metricShape, Period: z.number(), Stat: z.string() })),
      }),
    ),
    [],
  ),
});

interface EvaluationOptions {
  /** Whether `FILL` has values for a metric without any data. CloudWatch's documentation does not say. */
  fillsUnknown: boolean;
}

/**
 * The minutes at which an alarm of a template is on. It is evaluated each minute over a window that ends there, as CloudWatch
 * does by default.
 *
 * @param properties the properties of an `AWS::CloudWatch::Alarm`
 * @param series by the name of the metric, followed by its statistic if the alarm uses several
 */
export const minutesInAlarm = (
  properties: unknown,
  series: Readonly<Record<string, Series>>,
  { fillsUnknown }: EvaluationOptions,
): number[] => {
  const alarm = alarmShape.parse(properties);
  const { MetricName, Statistic = "", Period = 0 } = alarm;
  const single =
    MetricName === undefined ? [] : [{ Id: "m", MetricStat: { Metric: { MetricName }, Period, Stat: Statistic } }];
  const metrics = [...single, ...alarm.Metrics].flatMap(({ Id: id, MetricStat }) => {
    if (!MetricStat) return [];
    const { Metric, Stat: statistic, Period: seconds } = MetricStat;
    const all = series[`${Metric.MetricName} ${statistic}`] ?? series[Metric.MetricName] ?? [];
    return [{ id, statistic, minutes: seconds / 60, all }];
  });
  const period = Math.max(...metrics.map(({ minutes }) => minutes));
  const isUnknown = ({ all }: { all: Series }) => !fillsUnknown && all.every((value) => value === undefined);
  const unknown = new Set(metrics.filter(isUnknown).map(({ id }) => id));
  // In a template, the result comes first, followed by its parts.
  const formulas = alarm.Metrics.flatMap(({ Id, Expression }) => (Expression ? [[Id, Expression] as const] : []));
  const resultId = formulas[0]?.[0] ?? metrics[0]?.id ?? "";

  const valueAt = (end: number): number | undefined => {
    const values = new Map<string, number | undefined>();
    for (const { id, statistic, all } of metrics) {
      const found = all.slice(Math.max(end - period, 0), end).filter((value) => value !== undefined);
      values.set(id, aggregate(found, statistic));
    }
    for (const [id, formula] of formulas.toReversed()) values.set(id, evaluate(formula, values, unknown));
    return values.get(resultId);
  };
  const isBreaching = (value: number | undefined): boolean => {
    if (value === undefined) return alarm.TreatMissingData === "breaching";
    return alarm.ComparisonOperator === "LessThanThreshold" ? value < alarm.Threshold : value >= alarm.Threshold;
  };
  const length = Math.max(...Object.values(series).map((values) => values.length));
  const minutes = Array.from(
    { length: length - period * alarm.EvaluationPeriods + 1 },
    (_, index) => index + period * alarm.EvaluationPeriods,
  );
  return minutes.filter((end) => {
    const ends = Array.from({ length: alarm.EvaluationPeriods }, (_, index) => end - index * period);
    return ends.filter((one) => isBreaching(valueAt(one))).length >= alarm.DatapointsToAlarm;
  });
};

const aggregate = (values: number[], statistic: string): number | undefined => {
  if (values.length === 0) return undefined;
  return statistic === "Sum" ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values);
};

/** Evaluates a CloudWatch metric math formula, as far as the alarms need it. A missing value makes the result missing. */
const evaluate = (
  expression: string,
  values: ReadonlyMap<string, number | undefined>,
  unknown: ReadonlySet<string>,
): number | undefined => {
  const filled = expression
    .replaceAll(/FILL\((\w+), 0\)/g, (_, id) => (unknown.has(id) ? "missing" : `${values.get(id) ?? 0}`))
    .replaceAll(/SUM\(\[(.*?)\]\)/g, (_, parts: string) => {
      const present = parts.split(", ").filter((part) => part !== "missing");
      return present.length === 0 ? "missing" : `${present.reduce((sum, part) => sum + Number(part), 0)}`;
    })
    .replaceAll(/\b[a-z]\w*/g, (id) => `${values.get(id) ?? "missing"}`);
  if (filled.includes("missing")) return undefined;
  const conditional = (condition: boolean, yes: number, no: number) => (condition ? yes : no);
  return new Function("IF", `return ${filled};`)(conditional);
};
