import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { api } from "../../lambdas/api.ts";
import { operationsOf } from "../../lambdas/declaration/operations.ts";

const templateShape = z.object({
  Resources: z.record(
    z.string(),
    z.object({
      Type: z.string(),
      Properties: z._default(z.record(z.string(), z.unknown()), {}),
      Metadata: z._default(z.record(z.string(), z.unknown()), {}),
    }),
  ),
});
const alarmShape = z.object({ Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(z.unknown()) }))) });
const filterShape = z.object({
  MetricTransformations: z.array(z.object({ MetricName: z.string(), Dimensions: z.optional(z.array(z.unknown())) })),
});

/** A pattern for the name of an endpoint's function that does not match longer names. */
const longestName = operationsOf(api)
  .map(({ functionName }) => functionName)
  .reduce((longest, name) => (name.length > longest.length ? name : longest));

/** What determines costs and limits in the templates of an assembly. */
export const readStacks = async (assemblyDirectory: string) => {
  const files = (await readdir(assemblyDirectory)).filter((file) => file.endsWith(".template.json"));
  const stacks = await Promise.all(
    files.map(async (file) => templateShape.parse(JSON.parse(await readFile(join(assemblyDirectory, file), "utf8")))),
  );
  const byStack = stacks.map(({ Resources }) => Object.values(Resources));
  const resources = byStack.flat();
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
    /** In the largest stack. */
    resources: Math.max(...byStack.map(({ length }) => length)),
    /** The number of resources that one more endpoint adds. Its route is named after its path, the others after its function. */
    resourcesOfEndpoint:
      1 + resources.filter(({ Metadata }) => String(Metadata["aws:cdk:path"]).includes(longestName)).length,
  };
};

export type Stacks = Awaited<ReturnType<typeof readStacks>>;
