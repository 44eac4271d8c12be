import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";

const templateShape = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z._default(z.record(z.string(), z.unknown()), {}),
    }),
  ),
});
const alarmShape = z.object({ Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(z.unknown()) }))) });
const filterShape = z.object({
  MetricTransformations: z.array(z.object({ MetricName: z.string(), Dimensions: z.optional(z.array(z.unknown())) })),
});

/** What determines costs in the templates of an assembly. */
export const readStacks = async (assemblyDirectory: string) => {
  const files = (await readdir(assemblyDirectory)).filter((file) => file.endsWith(".template.json"));
  const stacks = await Promise.all(
    files.map(async (file) => templateShape.parse(JSON.parse(await readFile(join(assemblyDirectory, file), "utf8")))),
  );
  const resources = stacks.flatMap(({ Resources }) => Object.values(Resources));
  const propertiesOf = (type: string) =>
    resources.filter(({ Type }) => Type === `AWS::${type}`).map(({ Properties }) => Properties);
  const alarms = propertiesOf("CloudWatch::Alarm");
  const transformations = propertiesOf("Logs::MetricFilter").flatMap(
    (properties) => filterShape.parse(properties).MetricTransformations,
  );
  // Several filters may count into one metric. A metric by version exists once for each alarm at most.
  const metrics = new Map(transformations.map(({ MetricName, Dimensions = [] }) => [MetricName, Dimensions.length]));
  const alarmTexts = JSON.stringify(alarms);
  const metricsOf = ([name, dimensions]: [string, number]): number =>
    dimensions > 0 ? alarmTexts.split(`"MetricName":"${name}"`).length - 1 : 1;
  return {
    memoryGigabytes: Number(propertiesOf("Lambda::Function")[0]?.MemorySize) / 1024,
    alarmMetrics: alarms
      .map((alarm) => alarmShape.parse(alarm).Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1)
      .reduce((sum, count) => sum + count, 0),
    customMetrics: [...metrics].map(metricsOf).reduce((sum, count) => sum + count, 0),
    dashboards: propertiesOf("CloudWatch::Dashboard").length,
  };
};

export type Stacks = Awaited<ReturnType<typeof readStacks>>;
