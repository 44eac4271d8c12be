import { type AwsEnvironment, arnOf } from "../support/aws-environment.ts";
import { LocalError, messageOf } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { nestedStackType, type Resource, type StackTemplate } from "./cloud-assembly.ts";
import { createResolver, type Resolver } from "./intrinsics.ts";
import { type Attempt, type Ignored, Refusal } from "./refusals.ts";

/** The addresses and the AWS environment of the run. */
export interface Places {
  environment: AwsEnvironment;
  baseUrl: string;
  loginUrl: string;
}

/** The inputs for references to a resource. */
export interface Named extends Places {
  stackName: string;
  logicalId: string;
  /** The template's physical name if it has one, otherwise the local name. */
  name: string;
  /** Formats an ARN in the run's environment. */
  arn: (service: string, resource: string) => string;
  /** Resolves a property that is part of the reference. */
  property: (name: string) => unknown;
}

/** A resource type that runs locally or that affects what runs. */
export interface ResourceType<Schema extends z.ZodMiniType = z.ZodMiniType> {
  type: string;
  /** The property that names a resource in references. Default: the logical id. */
  nameProperty?: string;
  /** What `Ref` returns, if not the name. */
  ref?: (named: Named) => string;
  /** What `Fn::GetAtt` returns. */
  attributes?: (named: Named) => Record<string, string>;
  /**
   * Strict: a property that is neither in the schema nor ignored stops the start, because it might change the resource's behaviour.
   */
  schema: Schema;
  /** The properties that don't matter in a local run, separated by spaces, by reason. */
  ignored?: Record<string, string>;
}

export const resourceType = <Schema extends z.ZodMiniType>(type: ResourceType<Schema>): ResourceType<Schema> => type;

const textForPeople = ["Description", "Tags"];

/** A deployed resource: it has no condition, or its condition is true. */
export interface StackResource {
  stackName: string;
  logicalId: string;
  type: ResourceType;
  /** The properties as written in the template. */
  raw: Record<string, unknown>;
  metadata: Record<string, unknown>;
  readonly ref: string;
  readonly attributes: Record<string, string>;
  resolver: Resolver;
}

interface Entry<Schema extends z.ZodMiniType> {
  resource: StackResource;
  properties: z.output<Schema>;
}

/** The resources of all stacks, all of known types. */
export interface DeployedStacks {
  all: (type: ResourceType) => StackResource[];
  /** Returns the resources of a type with resolved and validated properties. Rejected resources are recorded and left out. */
  read: <Schema extends z.ZodMiniType>(type: ResourceType<Schema>) => Entry<Schema>[];
  /** Does the same and converts each resource. */
  readEach: <Schema extends z.ZodMiniType, Value>(
    type: ResourceType<Schema>,
    make: (entry: Entry<Schema>) => Value,
  ) => Value[];
  attempt: Attempt;
}

type Place = Pick<StackResource, "logicalId" | "stackName"> & Partial<Pick<StackResource, "metadata">>;

/**
 * Creates an error that names the stack, the resource and each of its problems.
 *
 * @param options `entries`: what to leave out to start anyway. Default: the construct of the resource.
 */
export const refusal = (
  place: Place,
  problems: string | string[],
  options?: ErrorOptions & { entries?: readonly string[] },
): Refusal => {
  const sentences = [problems].flat().map((problem) => `${placeOf(place)} cannot run locally: ${problem}.`);
  const path = pathOf(place);
  const construct = path === undefined ? [] : [path.replace(/\/Resource$/, "")];
  return new Refusal(sentences, { entries: construct, ...options });
};

const pathKey = "aws:cdk:path";

/** Returns the path of a resource in the CDK's tree, if the template has it. */
const pathOf = ({ metadata }: Place): string | undefined => {
  const path = metadata?.[pathKey];
  return typeof path === "string" ? path : undefined;
};

const placeOf = (place: Place): string => {
  const path = pathOf(place);
  return `${place.logicalId} of stack ${place.stackName}${path === undefined ? "" : ` (${path})`}`;
};

/** Returns what was read, or throws an error that names the resource. */
export const readAt = <Value>(resource: Place, read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw refusal(resource, messageOf(error).replace(/\.$/, ""), { cause: error });
  }
};

/** Resolves and validates properties of a resource. Other properties are not even resolved. */
export const readProperties = <Schema extends z.ZodMiniType>(
  { logicalId, type, resolver, ...place }: Place & Pick<StackResource, "type" | "resolver">,
  schema: Schema,
  properties: Record<string, unknown>,
): z.output<Schema> => {
  const result = schema.safeParse(resolver.resolve(properties));
  if (result.success) return result.data;
  const { issues } = result.error;
  const unknown = issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? [issue] : []));
  // An entry cannot name a part of a list.
  const named = unknown.filter(({ path }) => path.every((part) => typeof part === "string"));
  const paths = named.flatMap(({ path, keys }) => keys.map((key) => [...path, key].join(".")));
  throw refusal({ ...place, logicalId: `${logicalId} (${type.type})` }, issues.flatMap(problemsOf), {
    // The construct of an API contains its routes.
    ...(unknown.length === issues.length && { entries: paths.map((path) => `${logicalId}.${path}`) }),
  });
};

const problemsOf = (issue: z.core.$ZodIssue): string[] => {
  const at = (path: PropertyKey[]) => path.join(".");
  if (issue.code !== "unrecognized_keys") return [`${at(issue.path)}: ${issue.message}`];
  return issue.keys.map((key) => `its property ${at([...issue.path, key])} is not supported`);
};

/** Placeholder for a resource that isn't deployed or is left out of a local run. */
const notRun = Symbol("not run");

/** The properties of a nested stack. */
const nestedStackSchema = z.strictObject({
  TemplateURL: z.unknown(),
  Parameters: z.optional(z.record(z.string(), z.unknown())),
  // These properties don't matter in a local run.
  Tags: z.optional(z.unknown()),
  TimeoutInMinutes: z.optional(z.unknown()),
});

interface StacksOptions {
  places: Places;
  types: ResourceType[];
  /** The types that a local run leaves out. Any other type stops the start. */
  leftOut: Record<string, string>;
  ignored: Ignored;
  attempt: Attempt;
}

/** Resolves the stacks against each other. Resources that can't run are recorded and left out. */
export const deployStacks = (
  topStacks: StackTemplate[],
  { places, types, leftOut, ignored, attempt }: StacksOptions,
): DeployedStacks => {
  const typeNamed = new Map(types.map((one) => [one.type, one]));
  const deployed = new Map<StackTemplate, { resources: Map<string, StackResource>; resolver: Resolver }>();
  // References to a rejected resource get a placeholder, so that problems of the referring resources are found too.
  const refused = new Set<string>();
  /** The places of resources of unsupported types, by type. */
  const unsupported = new Map<string, string[]>();
  const keyOf = (stackName: string, logicalId: string) => `${stackName} ${logicalId}`;
  let touchesRefused = false;
  /** The parameters that a parent passes to its nested stack, as written in the parent's template. */
  const passed = new Map<StackTemplate, { parent: StackTemplate; parameters: Record<string, unknown> }>();

  const exported = (name: string): unknown => {
    for (const stack of stacks) {
      for (const output of Object.values(stack.template.Outputs ?? {})) {
        const { resolver } = stackOf(stack);
        if (output.Export && resolver.resolve(output.Export.Name) === name) return resolver.resolve(output.Value);
      }
    }
    throw new LocalError(`No stack of this app exports ${name}, which another stack imports.`);
  };

  const referenceTo = (stack: StackTemplate, logicalId: string, attribute?: string): string => {
    const where = `${logicalId} of stack ${stack.name}`;
    const found = stackOf(stack).resources.get(logicalId);
    const { Type: type = "", Metadata = {} } = stack.template.Resources[logicalId] ?? {};
    const isRefused = refused.has(keyOf(stack.name, logicalId));
    if (isRefused) touchesRefused = true;
    const names: [string, string, unknown?][] = [
      [logicalId, type, Metadata[pathKey]],
      [`${logicalId}.${attribute}`, `${type}.${attribute}`],
    ];
    if ((found === undefined && isRefused) || names.some((name) => ignored.covers(...name))) {
      return attribute?.endsWith("Arn") ? arnOf(places.environment, "ignored", logicalId) : logicalId;
    }
    const nested = stack.nested.get(logicalId);
    if (nested) return outputOf(nested, attribute);
    if (found === undefined && Object.hasOwn(leftOut, type)) {
      throw new LocalError(`${where} (${type}) is left out of a local run, but something that runs refers to it.`);
    }
    if (found === undefined) throw new LocalError(`${where} is referred to, but does not exist.`);
    const value = attribute === undefined ? found.ref : found.attributes[attribute];
    if (value !== undefined) return value;
    throw new LocalError(`${where} (${type}) has no attribute ${attribute} in a local run.`);
  };

  const outputOf = (stack: StackTemplate, attribute = ""): string => {
    const output = stack.template.Outputs?.[attribute.replace(/^Outputs\./, "")];
    if (output) return String(stackOf(stack).resolver.resolve(output.Value));
    throw new LocalError(`Nested stack ${stack.name} has no ${attribute || "reference"} in a local run.`);
  };

  const parameterOf = (stack: StackTemplate, name: string): unknown => {
    const { parent, parameters } = passed.get(stack) ?? {};
    return parent && stackOf(parent).resolver.resolve(parameters?.[name]);
  };

  /** Returns a stack and the nested stacks that are deployed with it. */
  const withNested = (stack: StackTemplate): StackTemplate[] => [
    stack,
    ...[...stack.nested].flatMap(([logicalId, nested]) => {
      const { Condition, Properties } = stack.template.Resources[logicalId] ?? {};
      if (ignored.covers(logicalId, nestedStackType)) return [];
      const result = nestedStackSchema.safeParse(Properties);
      if (!result.success) throw refusal({ logicalId, stackName: stack.name }, z.prettifyError(result.error));
      passed.set(nested, { parent: stack, parameters: result.data.Parameters ?? {} });
      return Condition === undefined || stackOf(stack).resolver.condition(Condition) ? withNested(nested) : [];
    }),
  ];

  const stackOf = (stack: StackTemplate) => {
    const known = deployed.get(stack);
    if (known) return known;
    const resources = new Map<string, StackResource>();
    const resolver = createResolver(stack, places.environment, {
      exported,
      resource: (logicalId, attribute) => referenceTo(stack, logicalId, attribute),
      parameter: (name) => parameterOf(stack, name),
    });
    const created = { resources, resolver };
    deployed.set(stack, created);
    for (const [logicalId, resource] of Object.entries(stack.template.Resources)) {
      const isDeployed = () => resource.Condition === undefined || resolver.condition(resource.Condition);
      const found = attempt(() => (isDeployed() ? resourceOf(stack, logicalId, resource, resolver) : notRun));
      if (found === undefined) refused.add(keyOf(stack.name, logicalId));
      else if (found !== notRun) resources.set(logicalId, found);
    }
    return created;
  };

  const resourceOf = (
    { name: stackName, prefix, nested }: StackTemplate,
    logicalId: string,
    { Type, Properties = {}, Metadata: metadata = {} }: Resource,
    resolver: Resolver,
  ): StackResource | typeof notRun => {
    const type = typeNamed.get(Type);
    if (ignored.covers(logicalId, Type, metadata[pathKey]) || Object.hasOwn(leftOut, Type) || nested.has(logicalId))
      return notRun;
    if (type === undefined) {
      unsupported.set(Type, [...(unsupported.get(Type) ?? []), placeOf({ logicalId, stackName, metadata })]);
      refused.add(keyOf(stackName, logicalId));
      return notRun;
    }
    const raw = ignored.without(logicalId, Type, Properties);
    const property = (name: string) => resolver.resolve(raw[name]);
    const name =
      (type.nameProperty && property(type.nameProperty)) ?? localNameOf(`${prefix}${logicalId}`, metadata, Type);
    if (typeof name !== "string") throw refusal({ logicalId, stackName }, `its ${type.nameProperty} is not a string`);
    const arn = (service: string, resource: string) => arnOf(places.environment, service, resource);
    const named = { ...places, stackName, logicalId, name, arn, property };
    return {
      ...{ stackName, logicalId, type, raw, metadata, resolver },
      // Computed on demand, because it may depend on a later resource.
      get ref() {
        return type.ref?.(named) ?? name;
      },
      get attributes() {
        return type.attributes?.(named) ?? {};
      },
    };
  };

  const stacks = topStacks.flatMap(withNested);
  const resources = stacks.flatMap((stack) => [...stackOf(stack).resources.values()]);
  for (const [type, places] of unsupported) {
    attempt(() => {
      throw new Refusal([`Resource type ${type} is not supported: ${places.join(", ")}.`], { entries: [type] });
    });
  }
  const all = (type: ResourceType) => resources.filter((resource) => resource.type === type);
  const readEach: DeployedStacks["readEach"] = (type, make) =>
    all(type).flatMap((resource) => {
      touchesRefused = false;
      const made = attempt(() => {
        const properties = readType(resource, type);
        // Its definition isn't known without the rejected resource.
        return touchesRefused ? [] : [make({ resource, properties })];
      });
      if (made?.length !== 1) refused.add(keyOf(resource.stackName, resource.logicalId));
      return made ?? [];
    });
  return { all, readEach, read: (type) => readEach(type, (entry) => entry), attempt };
};

const readType = <Schema extends z.ZodMiniType>(
  resource: StackResource,
  { schema, ignored = {} }: ResourceType<Schema>,
): z.output<Schema> => {
  const names = new Set([...textForPeople, ...Object.values(ignored).flatMap((list) => list.split(" "))]);
  const relevant = Object.entries(resource.raw).filter(([name]) => !names.has(name));
  return readProperties(resource, schema, Object.fromEntries(relevant));
};

// A function's name is its construct id (`Stack/admin/Resource` becomes `admin`), because only a deployment generates physical
// names.
const localNameOf = (logicalId: string, metadata: Record<string, unknown>, type: string): string => {
  const path = metadata[pathKey];
  if (type !== "AWS::Lambda::Function" || typeof path !== "string") return logicalId;
  const parts = path.split("/");
  return parts.at(parts.at(-1) === "Resource" ? -2 : -1) ?? logicalId;
};
