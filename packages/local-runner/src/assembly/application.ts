import type { AwsEnvironment } from "../aws-environment.ts";
import { LocalError } from "../local-error.ts";
import { readAliases } from "./aliases.ts";
import { readCloudAssembly } from "./cloud-assembly.ts";
import { type FunctionDefinition, readFunction } from "./functions.ts";
import { type HttpApiDefinition, readHttpApi } from "./http-api.ts";
import { type LogSubscription, readLogSubscriptions } from "./log-subscriptions.ts";
import { type MayInvoke, readPermissions } from "./permissions.ts";
import { readRights } from "./rights.ts";
import { deployStacks } from "./stack-resources.ts";
import { readTables, type TableDefinition } from "./tables.ts";
import { readUserPool, type UserPoolDefinition } from "./user-pool.ts";

/** All that stands in the synthesised templates and runs locally. */
export interface Application {
  readonly functions: readonly FunctionDefinition[];
  readonly tables: readonly TableDefinition[];
  readonly api: HttpApiDefinition | undefined;
  readonly mayInvoke: MayInvoke;
  readonly subscriptions: readonly LogSubscription[];
  readonly userPool: UserPoolDefinition | undefined;
  /** The ARN of the function behind the ARN of an alias or a version. */
  readonly functionBehind: (arn: string) => string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Reads a cloud assembly. Throws a `LocalError` at the first thing in it that cannot run locally. */
export async function readApplication(
  assemblyDirectory: string,
  places: { environment: AwsEnvironment; baseUrl: string; loginUrl: string },
): Promise<Application> {
  const { resources, outputs } = deployStacks(await readCloudAssembly(assemblyDirectory), places);
  const rightsOf = readRights(resources);
  const functions = resources
    .filter(({ type }) => type === "AWS::Lambda::Function")
    .map((resource) => readFunction(resource, { assemblyDirectory, rightsOf }));
  assertNamesDiffer(functions);
  return {
    functions,
    tables: readTables(resources),
    api: readHttpApi(resources),
    functionBehind: readAliases(resources),
    mayInvoke: readPermissions(resources, places.environment),
    subscriptions: readLogSubscriptions(resources),
    userPool: readUserPool(resources),
    outputs,
  };
}

function assertNamesDiffer(functions: readonly FunctionDefinition[]): void {
  const names = new Set<string>();
  for (const { name } of functions) {
    if (names.has(name)) {
      throw new LocalError(
        `Two functions have the construct id ${name}, by which the local run calls them: rename one.`,
      );
    }
    names.add(name);
  }
}
