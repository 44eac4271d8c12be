import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { LocalError } from "../local-error.ts";
import * as z from "../zod.ts";
import type { Rights } from "./rights.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

/** A Lambda function as the template declares it. */
export interface FunctionDefinition {
  readonly name: string;
  readonly arn: string;
  /** Folder with the bundled code. */
  readonly codeDirectory: string;
  /** Where the template takes the code from: the CDK names it by a hash of its content. Undefined for replaced code. */
  readonly codeKey: string | undefined;
  /** `file.export`, the file without its ending. */
  readonly handler: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  readonly maximumConcurrency: number;
  /** The log that it writes to. */
  readonly logGroup: string;
  readonly rights: Rights;
}

// More than this many threads of one function took 1.8 GB under load on a small machine and answered no faster.
const maximumConcurrency = 4;

const functionSchema = z.strictObject({
  Runtime: z.string().check(z.startsWith("nodejs", "only Node.js functions run locally")),
  Handler: z.string().check(z.regex(/^[^.]+\.[^.]+$/, "the handler must read file.export")),
  Role: z.string(),
  Environment: z.optional(z.strictObject({ Variables: z._default(z.record(z.string(), z.coerce.string()), {}) })),
  Timeout: z._default(z.coerce.number(), 3),
  MemorySize: z._default(z.coerce.number(), 128),
  ReservedConcurrentExecutions: z.optional(z.coerce.number()),
  PackageType: z.optional(z.literal("Zip")),
  // Of its form and its level, nothing matters in a terminal.
  LoggingConfig: z._default(z.object({ LogGroup: z.optional(z.string()) }), {}),
});

const harmless = {
  Architectures: "the code is JavaScript",
  Code: "the code is found through the asset metadata: the template names a bucket that does not exist locally",
  Description: "a text for people",
  FunctionName: "locally a function goes by its construct id",
  RecursiveLoop: "guards against loops between services that do not exist locally",
  Tags: "a text for people",
  TracingConfig: "traces are not collected locally",
};

/** Reads one `AWS::Lambda::Function`. */
export function readFunction(
  resource: StackResource,
  { assemblyDirectory, rightsOf }: { assemblyDirectory: string; rightsOf: (roleArn: string) => Rights },
): FunctionDefinition {
  const properties = readProperties(resource, functionSchema, harmless);
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
}

function codeDirectoryOf({ logicalId, stackName, metadata }: StackResource, assemblyDirectory: string): string {
  const asset = metadata["aws:asset:path"];
  if (typeof asset !== "string") {
    throw new LocalError(
      `Function ${logicalId} of stack ${stackName} cannot run locally: its metadata has no aws:asset:path. ` +
        "Give its code as an asset, and synthesise with aws:cdk:enable-asset-metadata.",
    );
  }
  const directory = resolve(assemblyDirectory, asset);
  if (!existsSync(directory)) {
    throw new LocalError(`Function ${logicalId} of stack ${stackName} cannot run: its code is not at ${directory}.`);
  }
  return directory;
}
