import type { AwsEnvironment } from "../support/aws-environment.ts";
import { LocalError } from "../support/local-error.ts";
import { readAliases } from "./aliases.ts";
import { readCloudAssembly } from "./cloud-assembly.ts";
import { type FunctionDefinition, readFunction } from "./functions.ts";
import { type HttpApiDefinition, readHttpApi } from "./http-api.ts";
import { type LogSubscription, readLogSubscriptions } from "./log-subscriptions.ts";
import { type MayInvoke, readPermissions } from "./permissions.ts";
import { readRights } from "./rights.ts";
import { readSchedules, type Schedule } from "./schedules.ts";
import { deployStacks } from "./stack-resources.ts";
import { readTables, type TableDefinition } from "./tables.ts";
import { readBuses, readTopics, type Topic } from "./topics.ts";
import { readUserPool, type UserPoolDefinition } from "./user-pool.ts";

/** Everything in the synthesised templates that runs locally. */
export interface Application {
  functions: FunctionDefinition[];
  tables: TableDefinition[];
  api: HttpApiDefinition | undefined;
  mayInvoke: MayInvoke;
  subscriptions: LogSubscription[];
  schedules: Schedule[];
  topics: Topic[];
  /** The names of the event buses. */
  buses: string[];
  userPool: UserPoolDefinition | undefined;
  /** The function's own ARN for the ARN of an alias or a version. */
  functionBehind: (arn: string) => string;
  outputs: Record<string, string>;
}

/** Reads a cloud assembly. Throws a `LocalError` that names the first thing in it that cannot run locally. */
export const readApplication = async (
  assemblyDirectory: string,
  places: { environment: AwsEnvironment; baseUrl: string; loginUrl: string },
): Promise<Application> => {
  const { resources, outputs } = deployStacks(await readCloudAssembly(assemblyDirectory), places);
  const rightsOf = readRights(resources);
  const functions = resources
    .filter(({ type }) => type === "AWS::Lambda::Function")
    .map((resource) => readFunction(resource, { assemblyDirectory, rightsOf }));
  assertNamesDiffer(functions);
  const functionBehind = readAliases(resources);
  return {
    functions,
    tables: readTables(resources),
    api: readHttpApi(resources),
    functionBehind,
    mayInvoke: readPermissions(resources, places.environment),
    subscriptions: readLogSubscriptions(resources),
    schedules: readSchedules(resources, { rightsOf, functionBehind }),
    topics: readTopics(resources),
    buses: readBuses(resources),
    userPool: readUserPool(resources),
    outputs,
  };
};

const assertNamesDiffer = (functions: FunctionDefinition[]): void => {
  const names = new Set<string>();
  for (const { name } of functions) {
    if (names.has(name)) {
      throw new LocalError(
        `Two functions have the construct id ${name}, which is their name in a local run: rename one.`,
      );
    }
    names.add(name);
  }
};
