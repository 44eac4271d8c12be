import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod/mini";
import { fixedPropertiesOf, isStateful } from "./fixed-properties.ts";
import type { DataStack, StatefulResource } from "./release-folder.ts";

/** The id of the data stack in the CDK app. */
const dataStackId = "IntegrationApiData";

/** The options that decide how data is stored. */
export const dataStackOptions = {
  prod: { stage: "prod" },
  "prod with a customer managed key": { stage: "prod", customerManagedKey: "true" },
  staging: { stage: "staging" },
  "staging with a customer managed key": { stage: "staging", customerManagedKey: "true" },
  dev: { stage: "dev" },
  "dev with a customer managed key": { stage: "dev", customerManagedKey: "true" },
} as const satisfies Record<string, Record<string, string>>;

const manifestSchema = z.object({
  artifacts: z.object({
    [dataStackId]: z.object({ properties: z.object({ templateFile: z.string(), stackName: z.string() }) }),
  }),
});

const templateSchema = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z._default(z.record(z.string(), z.unknown()), {}) }),
  ),
});

/** Reads the data stack of a cloud assembly: the resources that hold data, with the properties that cannot be changed. */
export const readDataStack = async (assemblyDirectory: string): Promise<DataStack> => {
  const read = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(join(assemblyDirectory, file), "utf8"));
  const { artifacts } = manifestSchema.parse(await read("manifest.json"));
  const { templateFile, stackName } = artifacts[dataStackId].properties;
  const { Resources } = templateSchema.parse(await read(templateFile));
  const stateful = Object.entries(Resources).filter(([, { Type }]) => isStateful(Type));
  return { stackName, resources: Object.fromEntries(stateful.map(([id, resource]) => [id, fixedPart(resource)])) };
};

const fixedPart = ({ Type, Properties }: StatefulResource): StatefulResource => {
  const names = fixedPropertiesOf(Type).filter((name) => name in Properties);
  const fixed = Object.fromEntries(names.map((name) => [name, Properties[name]]));
  const keyTypes = keyTypesOf(Properties);
  return { Type, Properties: { ...fixed, ...(keyTypes && { AttributeDefinitions: keyTypes }) } };
};

const keySchema = z.array(z.object({ AttributeName: z.string() }));
const definitionSchema = z.array(z.looseObject({ AttributeName: z.string() }));

/** The definitions of a table's key attributes. Others belong to indexes, which may come and go. */
const keyTypesOf = ({ KeySchema, AttributeDefinitions }: StatefulResource["Properties"]) => {
  if (KeySchema === undefined) return undefined;
  const names = keySchema.parse(KeySchema).map(({ AttributeName }) => AttributeName);
  return definitionSchema
    .parse(AttributeDefinitions)
    .filter(({ AttributeName }) => names.includes(AttributeName))
    .toSorted((one, other) => one.AttributeName.localeCompare(other.AttributeName));
};

/** The losses if the present data stack were deployed over the released one, one sentence for each reason. */
export const losses = (released: DataStack, present: DataStack): string[] => {
  if (released.stackName !== present.stackName) {
    return [
      `The stack ${released.stackName} is now called ${present.stackName}: CloudFormation would create a new stack with empty tables. Keep its name.`,
    ];
  }
  return Object.entries(released.resources).flatMap(([id, before]) => {
    const after = present.resources[id];
    const what = `${id} (${before.Type})`;
    if (!after) {
      return [
        `${what} is gone from ${released.stackName}: CloudFormation would delete it, or leave it behind unused. Declare it again, and give its resource this logical id with overrideLogicalId("${id}").`,
      ];
    }
    if (after.Type !== before.Type) {
      return [
        `${what} is now a ${after.Type}: CloudFormation refuses the update. Keep the type, or use another logical id.`,
      ];
    }
    return changedProperties(before, after).map(
      (name) =>
        `${name} of ${what} has changed: CloudFormation would replace it with an empty one, or refuse the update. Restore ${name}, or add a second resource and move the data. Released: ${JSON.stringify(before.Properties[name])}; now: ${JSON.stringify(after.Properties[name])}.`,
    );
  });
};

const changedProperties = (before: StatefulResource, after: StatefulResource): string[] => {
  const names = new Set([...Object.keys(before.Properties), ...Object.keys(after.Properties)]);
  return [...names].filter((name) => !isCompatible(name, before.Properties[name], after.Properties[name]));
};

const isCompatible = (name: string, before: unknown, after: unknown): boolean => {
  if (isDeepStrictEqual(before, after)) return true;
  // A user pool can get more attributes, but existing ones cannot be changed.
  if (name !== "Schema" || !Array.isArray(before) || !Array.isArray(after)) return false;
  return before.every((attribute) => after.some((other) => isDeepStrictEqual(attribute, other)));
};
