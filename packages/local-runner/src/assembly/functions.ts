import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { LocalError } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import type { Rights } from "./rights.ts";
import { ofType, readProperties, refusal, type StackResource } from "./stack-resources.ts";

/** A Lambda function as the template declares it. */
export interface FunctionDefinition {
  name: string;
  arn: string;
  /** The folder with the code. */
  codeDirectory: string;
  /** The template's reference to the code, in which the CDK has a hash of the content. */
  codeKey: string;
  /** `file.export`, without the file's extension. */
  handler: string;
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMegabytes: number;
  maximumConcurrency: number;
  /** The log that it writes to. */
  logGroup: string;
  rights: Rights;
}

// Without this limit the threads of one function took 1.8 GB under load on a small machine and answered no faster.
const maximumConcurrency = 4;

const functionSchema = z.strictObject({
  Runtime: z.string().check(z.startsWith("nodejs", "only Node.js functions run locally")),
  Handler: z.string().check(z.regex(/^[^.]+\.[^.]+$/, "the handler must be file.export")),
  Role: z.string(),
  Environment: z.optional(z.strictObject({ Variables: z._default(z.record(z.string(), z.coerce.string()), {}) })),
  Timeout: z._default(z.coerce.number(), 3),
  MemorySize: z._default(z.coerce.number(), 128),
  ReservedConcurrentExecutions: z.optional(z.coerce.number()),
  PackageType: z.optional(z.literal("Zip")),
  // The format and the level make no difference in a terminal.
  LoggingConfig: z._default(z.object({ LogGroup: z.optional(z.string()) }), {}),
});

/** Reads one `AWS::Lambda::Function`. */
export const readFunction = (
  resource: StackResource,
  { assemblyDirectory, rightsOf }: { assemblyDirectory: string; rightsOf: (roleArn: string) => Rights },
): FunctionDefinition => {
  const properties = readProperties(resource, functionSchema);
  const { ref: name, attributes } = resource.identity;
  const { ReservedConcurrentExecutions: reserved = maximumConcurrency } = properties;
  return {
    name,
    arn: attributes.Arn ?? name,
    codeDirectory: codeDirectoryOf(resource, assemblyDirectory),
    codeKey: JSON.stringify(resource.properties.Code),
    handler: properties.Handler,
    environment: properties.Environment?.Variables ?? {},
    timeoutSeconds: properties.Timeout,
    memoryMegabytes: properties.MemorySize,
    maximumConcurrency: Math.min(reserved, maximumConcurrency),
    logGroup: properties.LoggingConfig.LogGroup ?? `/aws/lambda/${name}`,
    rights: rightsOf(properties.Role),
  };
};

const codeDirectoryOf = (resource: StackResource, assemblyDirectory: string): string => {
  const asset = resource.metadata["aws:asset:path"];
  if (typeof asset !== "string") {
    const advice = "Give its code as an asset, and synthesise with aws:cdk:enable-asset-metadata";
    throw refusal(resource, `its metadata has no aws:asset:path. ${advice}`);
  }
  const directory = resolve(assemblyDirectory, asset);
  if (!existsSync(directory)) throw refusal(resource, `its code is not in ${directory}`);
  return directory;
};

const versionSchema = z.strictObject({ FunctionName: z.string() });

const aliasSchema = z.strictObject({ FunctionName: z.string(), FunctionVersion: z.string(), Name: z.string() });

/**
 * Reads the versions and aliases of the functions. The result gives the function's own ARN for the ARN of the function, of a
 * version or of an alias, because a local run has one version of each function. An alias that splits its calls is refused.
 */
export const readAliases = (resources: StackResource[]): ((arn: string) => string) => {
  const functions = ofType(resources, "AWS::Lambda::Function").map(({ identity }) => identity);
  const functionOf = ({ logicalId }: StackResource, named: string): string => {
    const found = functions.find(({ ref, attributes }) => ref === named || attributes.Arn === named);
    if (found) return found.attributes.Arn ?? found.ref;
    throw new LocalError(`${logicalId} refers to the function ${named}, which no stack of this app defines.`);
  };
  const qualified = new Map<string, string>();
  for (const { type, schema } of [
    { type: "AWS::Lambda::Version", schema: versionSchema },
    { type: "AWS::Lambda::Alias", schema: aliasSchema },
  ]) {
    for (const resource of ofType(resources, type)) {
      const { FunctionName } = readProperties(resource, schema);
      qualified.set(resource.identity.ref, functionOf(resource, FunctionName));
    }
  }
  return (arn) => qualified.get(arn) ?? arn;
};
