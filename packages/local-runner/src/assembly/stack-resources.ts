import type { AwsEnvironment } from "../support/aws-environment.ts";
import { LocalError, messageOf } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import type { Resource, StackTemplate } from "./cloud-assembly.ts";
import { ignoredProperties } from "./ignored-properties.ts";
import { createResolver, type Resolver } from "./intrinsics.ts";
import { type Identity, runningTypes, typesWithoutLocalMeaning } from "./resource-types.ts";

/** A reference to something that a local run leaves out. Outputs may have one; resources that run may not. */
class NoLocalMeaning extends LocalError {
  override name = "NoLocalMeaning";
}

/** A resource that is deployed, because it has no condition or its condition is true. */
export interface StackResource {
  stackName: string;
  logicalId: string;
  type: string;
  properties: Record<string, unknown>;
  metadata: Record<string, unknown>;
  identity: Identity;
  resolver: Resolver;
}

export const ofType = (resources: StackResource[], type: string): StackResource[] =>
  resources.filter((resource) => resource.type === type);

/** An error that says which resource of which stack has the problem. */
export const refusal = (
  { logicalId, stackName }: Pick<StackResource, "logicalId" | "stackName">,
  problem: string,
  options?: ErrorOptions,
): LocalError => new LocalError(`${logicalId} of stack ${stackName} cannot run locally: ${problem}.`, options);

/** Returns what is read, or throws an error that names the resource. */
export const readAt = <Value>(resource: StackResource, read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw refusal(resource, messageOf(error).replace(/\.$/, ""), { cause: error });
  }
};

/** The resources of all stacks, all of known types, and the outputs that have a value locally. */
interface DeployedStacks {
  resources: StackResource[];
  outputs: Record<string, string>;
}

/** Resolves the stacks against each other. Throws a `LocalError` that names the first resource of an unknown type. */
export const deployStacks = (
  stacks: StackTemplate[],
  places: { environment: AwsEnvironment; baseUrl: string; loginUrl: string },
): DeployedStacks => {
  const deployed = new Map<StackTemplate, { resources: Map<string, StackResource>; resolver: Resolver }>();

  const exported = (name: string): unknown => {
    for (const stack of stacks) {
      for (const output of Object.values(stack.template.Outputs ?? {})) {
        const { resolver } = stackOf(stack);
        if (output.Export && resolver.resolve(output.Export.Name) === name) return resolver.resolve(output.Value);
      }
    }
    throw new LocalError(`No stack of this app exports ${name}, which another stack imports.`);
  };

  const stackOf = (stack: StackTemplate) => {
    const known = deployed.get(stack);
    if (known) return known;
    const resources = new Map<string, StackResource>();
    const resolver = createResolver(stack, places.environment, {
      exported,
      resource: (logicalId, attribute) => referenceTo(stack, resources.get(logicalId), logicalId, attribute),
    });
    const created = { resources, resolver };
    deployed.set(stack, created);
    for (const [logicalId, resource] of Object.entries(stack.template.Resources)) {
      if (resource.Condition !== undefined && !resolver.condition(resource.Condition)) continue;
      const { Type: type, Properties: properties = {}, Metadata: metadata = {} } = resource;
      const identify = runningTypes[type];
      if (identify === undefined) {
        assertLeftOut(stack, logicalId, type);
        continue;
      }
      const name = localNameOf(stack, logicalId, resource, resolver);
      const property = (propertyName: string) => String(resolver.resolve(properties[propertyName]));
      const identity = identify({ stackName: stack.name, logicalId, name, ...places, property });
      resources.set(logicalId, { stackName: stack.name, logicalId, type, properties, metadata, identity, resolver });
    }
    return created;
  };

  const outputs = stacks.flatMap((stack) =>
    Object.entries(stack.template.Outputs ?? {}).flatMap(([name, { Value, Condition }]) => {
      const { resolver } = stackOf(stack);
      if (Condition !== undefined && !resolver.condition(Condition)) return [];
      const value = unlessWithoutMeaning(() => resolver.resolve(Value));
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
  return {
    resources: stacks.flatMap((stack) => [...stackOf(stack).resources.values()]),
    outputs: Object.fromEntries(outputs),
  };
};

/**
 * Resolves and checks a resource's properties, except the ignored ones, which are not even resolved.
 *
 * @param schema strict: a property that it does not name stops the start, because it might change what the resource does
 */
export const readProperties = <Schema extends z.ZodMiniType>(
  { stackName, logicalId, type, properties, resolver }: StackResource,
  schema: Schema,
): z.infer<Schema> => {
  const ignored = ignoredProperties[type] ?? {};
  const relevant = Object.entries(properties).filter(([name]) => !Object.hasOwn(ignored, name));
  const result = schema.safeParse(resolver.resolve(Object.fromEntries(relevant)));
  if (result.success) return result.data;
  const problems = z.prettifyError(result.error).replaceAll(/\s*\n\s*/g, " ");
  throw refusal({ logicalId: `${logicalId} (${type})`, stackName }, problems);
};

const referenceTo = (stack: StackTemplate, found: StackResource | undefined, logicalId: string, attribute?: string) => {
  const where = `${logicalId} of stack ${stack.name}`;
  if (found === undefined) {
    const type = stack.template.Resources[logicalId]?.Type;
    if (type !== undefined && type in typesWithoutLocalMeaning) {
      throw new NoLocalMeaning(`${where} (${type}) is left out of a local run, but something that runs refers to it.`);
    }
    throw new LocalError(`${where} is referred to, but does not exist.`);
  }
  if (attribute === undefined) return found.identity.ref;
  const value = found.identity.attributes[attribute];
  if (value === undefined)
    throw new LocalError(`${where} (${found.type}) has no attribute ${attribute} in a local run.`);
  return value;
};

const assertLeftOut = ({ name }: StackTemplate, logicalId: string, type: string): void => {
  if (Object.hasOwn(typesWithoutLocalMeaning, type)) return;
  const problem = `resource type ${type} is not supported. The README of cdk-local-runner lists the types that are`;
  throw refusal({ logicalId, stackName: name }, problem);
};

/** The property that names a resource in references. Without the property, the logical id names it. */
const nameProperties: Record<string, string> = {
  "AWS::Cognito::UserPoolDomain": "Domain",
  "AWS::Cognito::UserPoolGroup": "GroupName",
  "AWS::Cognito::UserPoolUser": "Username",
  "AWS::DynamoDB::GlobalTable": "TableName",
  "AWS::DynamoDB::Table": "TableName",
  "AWS::Events::EventBus": "Name",
  "AWS::Logs::LogGroup": "LogGroupName",
  "AWS::Logs::SubscriptionFilter": "FilterName",
  "AWS::SNS::Topic": "TopicName",
  "AWS::Scheduler::Schedule": "Name",
  "AWS::Scheduler::ScheduleGroup": "Name",
};

// A function's name is its construct id (`Stack/admin/Resource` is `admin`), because a deployment makes the physical name.
const localNameOf = (
  stack: StackTemplate,
  logicalId: string,
  { Type, Properties = {}, Metadata = {} }: Resource,
  resolver: Resolver,
): string => {
  if (Type === "AWS::Lambda::Function") {
    const path = Metadata["aws:cdk:path"];
    const parts = typeof path === "string" ? path.split("/") : [];
    return parts.at(-1) === "Resource" ? (parts.at(-2) ?? logicalId) : (parts.at(-1) ?? logicalId);
  }
  const property = nameProperties[Type] ?? "";
  const name = resolver.resolve(Properties[property]) ?? logicalId;
  if (typeof name === "string") return name;
  throw refusal({ logicalId, stackName: stack.name }, `its ${property} is not a string`);
};

const unlessWithoutMeaning = <Value>(read: () => Value): Value | undefined => {
  try {
    return read();
  } catch (error) {
    if (error instanceof NoLocalMeaning) return undefined;
    throw error;
  }
};
