import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { loadAwsServiceSpecSync } from "@aws-cdk/aws-service-spec";
import * as z from "zod/mini";
import { type DataStack, type Resource, resourcesSchema } from "./release-folder.ts";

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

const readJson = async (directory: string, file: string): Promise<unknown> =>
  JSON.parse(await readFile(join(directory, file), "utf8"));

/** Reads the data stack of a cloud assembly: the resources that hold data, with the properties that cannot be changed. */
export const readDataStack = async (assembly: string): Promise<DataStack> => {
  const { artifacts } = manifestSchema.parse(await readJson(assembly, "manifest.json"));
  const { templateFile, stackName } = artifacts[dataStackId].properties;
  const { Resources } = z.object({ Resources: resourcesSchema }).parse(await readJson(assembly, templateFile));
  const stateful = Object.entries(Resources).filter(([, { Type }]) => isStateful(Type));
  return { stackName, resources: Object.fromEntries(stateful.map(([id, resource]) => [id, fixedPart(resource)])) };
};

const fixedPart = ({ Type, Properties }: Resource): Resource => {
  const names = fixedPropertiesOf(Type).filter((name) => name in Properties);
  const fixed = Object.fromEntries(names.map((name) => [name, Properties[name]]));
  const keyTypes = keyTypesOf(Properties);
  return { Type, Properties: { ...fixed, ...(keyTypes && { AttributeDefinitions: keyTypes }) } };
};

const attributesSchema = z.array(z.looseObject({ AttributeName: z.string() }));

/** Returns the definitions of a table's key attributes. Other attributes belong to indexes, which may be added or removed. */
const keyTypesOf = ({ KeySchema, AttributeDefinitions }: Resource["Properties"]) => {
  if (KeySchema === undefined) return undefined;
  const names = attributesSchema.parse(KeySchema).map(({ AttributeName }) => AttributeName);
  return attributesSchema
    .parse(AttributeDefinitions)
    .filter(({ AttributeName }) => names.includes(AttributeName))
    .toSorted((one, other) => one.AttributeName.localeCompare(other.AttributeName));
};

/** Returns the losses if the present data stack were deployed over the released one, with one sentence for each reason. */
export const losses = (released: DataStack, present: DataStack): string[] => {
  const { stackName } = released;
  if (stackName !== present.stackName) {
    return [`The stack ${stackName} is now called ${present.stackName}: a new stack would have empty tables.`];
  }
  return Object.entries(released.resources).flatMap(([id, before]) => {
    const after = present.resources[id];
    const what = `${id} (${before.Type})`;
    if (!after) return [`${what} is gone from ${stackName}: keep its logical id, with overrideLogicalId("${id}").`];
    if (after.Type !== before.Type) return [`${what} is now a ${after.Type}: CloudFormation refuses the update.`];
    return changedProperties(before, after).map((name) => {
      const [was, is] = [before, after].map(({ Properties }) => JSON.stringify(Properties[name]));
      return `${name} of ${what} has changed from ${was} to ${is}: CloudFormation would replace it with an empty one, or refuse the update.`;
    });
  });
};

const changedProperties = (before: Resource, after: Resource): string[] => {
  const names = new Set([...Object.keys(before.Properties), ...Object.keys(after.Properties)]);
  return [...names].filter((name) => !isCompatible(name, before.Properties[name], after.Properties[name]));
};

const isCompatible = (name: string, before: unknown, after: unknown): boolean => {
  if (isDeepStrictEqual(before, after)) return true;
  // A user pool can get more attributes, but existing attributes cannot be changed.
  if (name !== "Schema" || !Array.isArray(before) || !Array.isArray(after)) return false;
  return before.every((attribute) => after.some((other) => isDeepStrictEqual(attribute, other)));
};

const specification = loadAwsServiceSpecSync();

const resourceType = (type: string) => specification.lookup("resource", "cloudFormationType", "equals", type)[0];

/** Operators attach rules and subscriptions to these, which a new resource would lack. */
const attachedTo = ["AWS::Events::EventBus", "AWS::SNS::Topic"];

/** Checks whether a resource of this type holds something that would be lost with it. */
export const isStateful = (type: string): boolean =>
  resourceType(type)?.isStateful === true || attachedTo.includes(type);

/**
 * Settings that are fixed when the resource is created. The services document this, but the specification that `cdk diff` uses does
 * not contain it. A change makes the deployment fail, and the only remedy is a new, empty resource.
 */
const fixedByTheService: Readonly<Record<string, readonly string[]>> = {
  "AWS::Cognito::UserPool": ["AliasAttributes", "UsernameAttributes", "UsernameConfiguration", "Schema"],
  "AWS::KMS::Key": ["KeySpec", "KeyUsage", "MultiRegion", "Origin"],
};

/** Returns the properties of a type that cannot be changed without replacing the resource. */
const fixedPropertiesOf = (type: string): string[] => {
  const properties = Object.entries(resourceType(type)?.properties ?? {});
  const replacing = properties.filter(([, { causesReplacement = "no" }]) => causesReplacement !== "no");
  return [...replacing.map(([name]) => name), ...(fixedByTheService[type] ?? [])];
};

const outputsSchema = z.object({
  Outputs: z.record(z.string(), z.object({ Value: z.unknown(), Export: z.optional(z.object({ Name: z.string() })) })),
});

const referenceSchema = z.union([
  z.strictObject({ Ref: z.string() }),
  z.strictObject({ "Fn::GetAtt": z.array(z.string()) }),
]);

/** An output of the data stack that the API's stack refers to, or may refer to in an earlier or later version. */
export interface SharedOutput {
  /** The resource whose `Ref` the output contains (`KeysTable`), or the attribute of a resource (`KeysTable.Arn`). */
  value: string;
  /** The name of the output's export, if it has one. An export that another stack imports cannot be removed or changed. */
  exportName: string | undefined;
}

/** Reads the outputs of an assembly's data stack that the CDK generates for other stacks, by name. */
export const readSharedOutputs = async (assembly: string): Promise<Record<string, SharedOutput>> => {
  const { Outputs } = outputsSchema.parse(await readJson(assembly, `${dataStackId}.template.json`));
  const shared = Object.entries(Outputs).filter(([name]) => /^(Exports|Publish)Output/.test(name));
  return Object.fromEntries(
    shared.map(([name, { Value, Export }]) => {
      const value = Object.values(referenceSchema.parse(Value)).flat().join(".");
      return [name, { value, exportName: Export?.Name }];
    }),
  );
};
