import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import type { Rights } from "./rights.ts";
import { type DeployedStacks, refusal, resourceType, type StackResource } from "./stack-resources.ts";

/** A Lambda function as the template declares it. */
export interface FunctionDefinition {
  name: string;
  arn: string;
  /** Such as `nodejs24.x`. The function runs with this machine's version. */
  runtime: string;
  /** The folder with the code. */
  codeDirectory: string;
  /** The template's reference to the code. The CDK includes a hash of the content. */
  codeKey: string;
  /** `file.export`, without the file extension. */
  handler: string;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMegabytes: number;
  maximumConcurrency: number;
  /** The log group that the function writes to. */
  logGroup: string;
  rights: Rights;
}

// Without this limit, one function's threads took 1.8 GB under load on a small machine and were no faster.
const maximumConcurrency = 4;

export const functionType = resourceType({
  type: "AWS::Lambda::Function",
  attributes: ({ name, arn }) => ({ Arn: arn("lambda", `function:${name}`) }),
  ignored: {
    "the code is JavaScript": "Architectures",
    "the code is found through the asset metadata, because the bucket in the template does not exist locally": "Code",
    "a function goes by its construct id locally": "FunctionName",
    "functions use the disk of this machine": "EphemeralStorage",
    "nothing is encrypted locally": "KmsKeyArn",
    "the runtime is the one that is installed here, and is started as it is": "RuntimeManagementConfig SnapStart",
    "traces are not collected locally": "TracingConfig",
  },
  schema: z.strictObject({
    Runtime: z.string().check(z.regex(/^nodejs/, "only Node.js functions run locally")),
    Handler: z.string().check(z.regex(/^[^.]+\.[^.]+$/, "the handler must be file.export")),
    Role: z.string(),
    Environment: z.optional(z.strictObject({ Variables: z._default(z.record(z.string(), z.coerce.string()), {}) })),
    Timeout: z._default(z.coerce.number(), 3),
    MemorySize: z._default(z.coerce.number(), 128),
    ReservedConcurrentExecutions: z._default(z.coerce.number(), maximumConcurrency),
    PackageType: z.optional(z.literal("Zip")),
    // The log format and level don't matter in a terminal.
    LoggingConfig: z._default(z.object({ LogGroup: z.optional(z.string()) }), {}),
  }),
});

// A local run has no earlier deployments, so each function only has the template's version.
const onlyVersion = "1";
const keptThreads = { "threads are kept once they are started": "ProvisionedConcurrencyConfig" };

/** `Ref` of a version or an alias returns the function's ARN with a qualifier at the end. */
const qualifiedArn = (
  arn: (service: string, resource: string) => string,
  functionName: unknown,
  qualifier: unknown,
) => {
  const named = String(functionName);
  return `${named.startsWith("arn:") ? named : arn("lambda", `function:${named}`)}:${qualifier}`;
};

const versionType = resourceType({
  type: "AWS::Lambda::Version",
  ref: ({ arn, property }) => qualifiedArn(arn, property("FunctionName"), onlyVersion),
  attributes: () => ({ Version: onlyVersion }),
  ignored: keptThreads,
  schema: z.strictObject({ FunctionName: z.string() }),
});

const aliasType = resourceType({
  type: "AWS::Lambda::Alias",
  ref: ({ arn, property }) => qualifiedArn(arn, property("FunctionName"), property("Name")),
  ignored: keptThreads,
  schema: z.strictObject({ FunctionName: z.string(), FunctionVersion: z.string(), Name: z.string() }),
});

export const functionTypes = [functionType, versionType, aliasType];

/** Reads the functions. Their names must be unique. */
export const readFunctions = (
  { readEach }: DeployedStacks,
  { assemblyDirectory, rightsOf }: { assemblyDirectory: string; rightsOf: (roleArn: string) => Rights },
): FunctionDefinition[] => {
  const names = new Set<string>();
  return readEach(functionType, ({ resource, properties }) => {
    const { ref: name, attributes } = resource;
    if (names.has(name)) {
      throw new LocalError(
        `Two functions have the construct id ${name}, which is their name in a local run: rename one.`,
      );
    }
    names.add(name);
    return {
      name,
      arn: attributes.Arn ?? name,
      runtime: properties.Runtime,
      codeDirectory: codeDirectoryOf(resource, assemblyDirectory),
      codeKey: JSON.stringify(resource.raw.Code),
      handler: properties.Handler,
      environment: properties.Environment?.Variables ?? {},
      timeoutSeconds: properties.Timeout,
      memoryMegabytes: properties.MemorySize,
      maximumConcurrency: Math.min(properties.ReservedConcurrentExecutions, maximumConcurrency),
      logGroup: properties.LoggingConfig.LogGroup ?? `/aws/lambda/${name}`,
      rights: rightsOf(properties.Role),
    };
  });
};

const codeDirectoryOf = (resource: StackResource, assemblyDirectory: string): string => {
  const asset = resource.metadata["aws:asset:path"];
  if (typeof asset !== "string") {
    const advice = "Give its code as an asset, and synthesise with aws:cdk:enable-asset-metadata";
    throw refusal(resource, `its metadata has no aws:asset:path. ${advice}`);
  }
  const directory = resolve(assemblyDirectory, asset);
  if (!existsSync(directory)) throw refusal(resource, `its code is not in ${directory}`, { entries: [] });
  if (!statSync(directory).isDirectory()) throw refusal(resource, `its code ${asset} is a file, and not a folder`);
  return directory;
};

/**
 * Reads the versions and aliases of the functions. A local run has one version of each function, so the returned function maps the
 * ARN of a function, version or alias to the function's own ARN. An alias that splits calls between versions is rejected.
 */
export const readAliases = ({ all, readEach }: DeployedStacks): ((arn: string) => string) => {
  const qualified = new Map<string, string>();
  const qualify = (resource: StackResource, named: string): void => {
    const found = all(functionType).find(({ ref, attributes }) => ref === named || attributes.Arn === named);
    if (found === undefined) {
      const message = `${resource.logicalId} refers to the function ${named}, which no stack of this app defines.`;
      throw new LocalError(message);
    }
    qualified.set(resource.ref, found.attributes.Arn ?? found.ref);
  };
  readEach(versionType, ({ resource, properties }) => qualify(resource, properties.FunctionName));
  readEach(aliasType, ({ resource, properties }) => qualify(resource, properties.FunctionName));
  return (arn) => qualified.get(arn) ?? arn;
};
