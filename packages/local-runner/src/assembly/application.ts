import { isDeepStrictEqual } from "node:util";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import { LocalError } from "../support/local-error.ts";
import { readCloudAssembly } from "./cloud-assembly.ts";
import { type FunctionDefinition, readAliases, readFunction } from "./functions.ts";
import { type HttpApiDefinition, readHttpApi } from "./http-api.ts";
import { type LogSubscription, readLogSubscriptions } from "./log-subscriptions.ts";
import { type MayInvoke, readPermissions, readRights } from "./rights.ts";
import { readSchedules, type Schedule } from "./schedules.ts";
import { deployStacks, ofType } from "./stack-resources.ts";
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
  const functions = ofType(resources, "AWS::Lambda::Function").map((resource) =>
    readFunction(resource, { assemblyDirectory, rightsOf }),
  );
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

/** The names of additions, removals and changes from one assembly to another. */
export interface Changes {
  added: string[];
  removed: string[];
  changed: string[];
}

/** What a reload changed: functions by name, routes by route key, tables by table name. */
export interface ApplicationChanges {
  functions: Changes;
  routes: Changes;
  tables: Changes;
}

/** Compares two applications. A function has not changed if equal code lies in another folder. */
export const changesBetween = (before: Application, after: Application): ApplicationChanges => {
  const functionsOf = ({ functions }: Application) =>
    named(
      functions,
      ({ name }) => name,
      ({ codeDirectory: _, ...rest }) => rest,
    );
  const routesOf = ({ api }: Application) => named(api?.routes ?? [], ({ routeKey }) => routeKey);
  const tablesOf = ({ tables }: Application) => named(tables, ({ TableName }) => TableName);
  return {
    functions: compare(functionsOf(before), functionsOf(after)),
    routes: compare(routesOf(before), routesOf(after)),
    tables: compare(tablesOf(before), tablesOf(after)),
  };
};

const named = <Item>(
  items: Item[],
  nameOf: (item: Item) => string,
  contentOf: (item: Item) => unknown = (item) => item,
): Map<string, unknown> => new Map(items.map((item) => [nameOf(item), contentOf(item)]));

const compare = (before: Map<string, unknown>, after: Map<string, unknown>): Changes => {
  const kept = [...after.keys()].filter((name) => before.has(name));
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: kept.filter((name) => !isDeepStrictEqual(before.get(name), after.get(name))),
  };
};
