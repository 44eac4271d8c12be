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

/** A pattern for the name of an endpoint's function that does not match longer names. */
const longestName = operationsOf(api)
  .map(({ functionName }) => functionName)
  .reduce((longest, name) => (name.length > longest.length ? name : longest));

const alarmShape = z.object({ Metrics: z.optional(z.array(z.object({ MetricStat: z.optional(z.unknown()) }))) });
const filterShape = z.object({
  MetricTransformations: z.array(z.object({ MetricName: z.string(), Dimensions: z.optional(z.array(z.unknown())) })),
});
const accessLogShape = z.object({ AccessLogSettings: z.object({ Format: z.string() }) });

/** The figures in the templates that determine costs and limits. */
export interface TemplateFigures {
  memoryGigabytes: number;
  alarmMetrics: number;
  dashboards: number;
  /** Queries of the logs, which run whenever somebody opens the dashboard. */
  dashboardQueries: number;
  /** At most: a metric by version exists only for a function that fails. */
  customMetrics: number;
  /** In the largest stack. */
  resources: number;
  /** The number that one more endpoint adds. */
  resourcesOfEndpoint: number;
  /** A line of the access log, filled in. */
  accessLogBytes: number;
}

export const readTemplateFigures = async (assemblyDirectory: string): Promise<TemplateFigures> => {
  const files = (await readdir(assemblyDirectory)).filter((file) => file.endsWith(".template.json"));
  const stacks = await Promise.all(
    files.map(async (file) => templateShape.parse(JSON.parse(await readFile(join(assemblyDirectory, file), "utf8")))),
  );
  const resources = stacks.map(({ Resources }) => Object.values(Resources));
  const ofType = (type: string) => resources.flat().filter((resource) => resource.Type === `AWS::${type}`);
  const [stage] = ofType("ApiGatewayV2::Stage");
  const transformations = ofType("Logs::MetricFilter").flatMap(
    ({ Properties }) => filterShape.parse(Properties).MetricTransformations,
  );
  // Several filters may count into one metric.
  const metrics = new Map(transformations.map((transformation) => [transformation.MetricName, transformation]));
  const alarms = JSON.stringify(ofType("CloudWatch::Alarm"));
  const versionsIn = (name: string): number => alarms.split(`"MetricName":"${name}"`).length - 1;
  return {
    memoryGigabytes: Number(ofType("Lambda::Function")[0]?.Properties.MemorySize) / 1024,
    alarmMetrics: ofType("CloudWatch::Alarm")
      .map(({ Properties }) => alarmShape.parse(Properties).Metrics?.filter(({ MetricStat }) => MetricStat).length ?? 1)
      .reduce((sum, count) => sum + count, 0),
    dashboards: ofType("CloudWatch::Dashboard").length,
    dashboardQueries:
      JSON.stringify(ofType("CloudWatch::Dashboard")).match(/"type[\\]+":[\\]+"log[\\]+"/g)?.length ?? 0,
    customMetrics: [...metrics.values()]
      .map(({ MetricName, Dimensions = [] }) => (Dimensions.length > 0 ? versionsIn(MetricName) : 1))
      .reduce((sum, count) => sum + count, 0),
    resources: Math.max(...resources.map(({ length }) => length)),
    // Its route is named after its path, everything else after its function.
    resourcesOfEndpoint:
      1 + resources.flat().filter(({ Metadata }) => String(Metadata["aws:cdk:path"]).includes(longestName)).length,
    accessLogBytes: Buffer.byteLength(filledIn(accessLogShape.parse(stage?.Properties).AccessLogSettings.Format)),
  };
};

/** Values of typical length for the variables. */
const filledIn = (format: string): string =>
  format
    .replace("$context.requestTime", "21/Nov/2026:12:34:56 +0000")
    .replace("$context.requestId", "abcdefghijklmno=")
    .replace("$context.integration.requestId", "00000000-0000-0000-0000-000000000000")
    .replace("$context.identity.sourceIp", "198.51.100.100")
    .replace("$context.routeKey", "DELETE /api/v1/key/{key_id+}")
    .replaceAll(/\$context\.(?:status|responseLatency|responseLength|integrationLatency|[\w.]*Status)\b/g, "200")
    .replaceAll(/\$context\.[\w.]+/g, "-");
