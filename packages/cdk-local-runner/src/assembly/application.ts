import { isDeepStrictEqual } from "node:util";
import { readCloudAssembly, readIgnored } from "./cloud-assembly.ts";
import { type FunctionDefinition, functionTypes, readAliases, readFunctions } from "./functions.ts";
import { type HttpApiDefinition, httpApiTypes, readHttpApi } from "./http-api.ts";
import { type LogSubscription, logTypes, readLogSubscriptions } from "./log-subscriptions.ts";
import { collectRefusals, createIgnored } from "./refusals.ts";
import { type MayInvoke, readPermissions, readRights, rightsTypes } from "./rights.ts";
import { readSchedules, type Schedule, scheduleTypes } from "./schedules.ts";
import { deployStacks, type Places } from "./stack-resources.ts";
import { readTables, type TableDefinition, tableTypes } from "./tables.ts";
import { readBuses, readTopics, type Topic, topicTypes } from "./topics.ts";
import { readUserPool, type UserPoolDefinition, userPoolTypes } from "./user-pool.ts";

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
  /** Returns the function's own ARN for the ARN of an alias or a version. */
  functionBehind: (arn: string) => string;
  /** The entries that the user chose to leave out. */
  ignored: string[];
}

/** The resource types that run locally or that affect what runs. */
const types = [
  ...[functionTypes, httpApiTypes, logTypes, rightsTypes, scheduleTypes, tableTypes, topicTypes, userPoolTypes].flat(),
];

/** The resource types that a local run leaves out, with the reason for each. A type in neither list stops the start. */
const leftOut = {
  "AWS::ApiGatewayV2::ApiMapping": "the local run answers at its own address",
  "AWS::ApiGatewayV2::DomainName": "the local run answers at its own address",
  "AWS::ApplicationAutoScaling::ScalableTarget": "nothing is scaled locally",
  "AWS::ApplicationAutoScaling::ScalingPolicy": "nothing is scaled locally",
  "AWS::Backup::BackupPlan": "the data folder is the user's to back up",
  "AWS::Backup::BackupSelection": "the data folder is the user's to back up",
  "AWS::CDK::Metadata": "usage statistics of the CDK itself",
  "AWS::CloudFormation::CustomResource": "only a deployment calls the function behind it",
  "AWS::CloudWatch::Alarm": "nobody needs to be alerted about a local run",
  "AWS::CloudWatch::CompositeAlarm": "nobody needs to be alerted about a local run",
  "AWS::CloudWatch::Dashboard": "metrics are not collected locally",
  "AWS::Cognito::ManagedLoginBranding": "the local login has its own page",
  "AWS::CodeDeploy::Application": "a local run has one version of each function, so there is no traffic to shift",
  "AWS::CodeDeploy::DeploymentGroup": "a local run has one version of each function, so there is no traffic to shift",
  "AWS::Logs::MetricFilter": "metrics are not collected locally",
  "AWS::Logs::QueryDefinition": "functions log to the terminal",
  "AWS::Logs::ResourcePolicy": "functions log to the terminal",
  "Custom::LogRetention": "functions log to the terminal",
};

/**
 * Reads a cloud assembly. Throws a `LocalError` that names everything that can't run locally.
 *
 * @param ignore what to leave out although it can't run locally, besides what the assembly's own file names: see `createIgnored`
 */
export const readApplication = async (
  assemblyDirectory: string,
  places: Places,
  ignore: readonly string[] = [],
): Promise<Application> => {
  const ignored = createIgnored([...ignore, ...(await readIgnored(assemblyDirectory))]);
  const { attempt, throwIfAny } = collectRefusals();
  const templates = await readCloudAssembly(assemblyDirectory);
  const stacks = deployStacks(templates, { places, types, leftOut, ignored, attempt });
  const rightsOf = readRights(stacks);
  const functions = readFunctions(stacks, { assemblyDirectory, rightsOf });
  const functionBehind = readAliases(stacks);
  const application: Application = {
    functions,
    tables: readTables(stacks),
    api: attempt(() => readHttpApi(stacks)),
    functionBehind,
    mayInvoke: readPermissions(stacks, { environment: places.environment, rightsOf }),
    subscriptions: readLogSubscriptions(stacks),
    schedules: readSchedules(stacks, { rightsOf, functionBehind }),
    topics: readTopics(stacks),
    buses: readBuses(stacks),
    userPool: attempt(() => readUserPool(stacks)),
    ignored: ignored.list(),
  };
  throwIfAny();
  ignored.checkUse();
  return application;
};

/** The names of what was added, removed and changed between two assemblies. */
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

/** Compares two applications. A function counts as unchanged if the same code has moved to another folder. */
export const changesBetween = (before: Application, after: Application): ApplicationChanges => {
  const compare = (contentOf: (application: Application) => [name: string, content: unknown][]): Changes => {
    const [old, next] = [new Map(contentOf(before)), new Map(contentOf(after))];
    const names = [...next.keys()];
    return {
      added: names.filter((name) => !old.has(name)),
      removed: [...old.keys()].filter((name) => !next.has(name)),
      changed: names.filter((name) => old.has(name) && !isDeepStrictEqual(old.get(name), next.get(name))),
    };
  };
  return {
    functions: compare(({ functions }) => functions.map(({ codeDirectory: _, ...rest }) => [rest.name, rest])),
    routes: compare(({ api }) => (api?.routes ?? []).map((route) => [route.routeKey, route])),
    tables: compare(({ tables }) => tables.map((table) => [table.TableName, table])),
  };
};
