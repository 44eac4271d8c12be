import type { App, Stack } from "aws-cdk-lib";
import type { ITableV2 } from "aws-cdk-lib/aws-dynamodb";
import type { IGrantable } from "aws-cdk-lib/aws-iam";
import type { IAlias } from "aws-cdk-lib/aws-lambda";
import { jobsOf, operationsOf } from "../lambdas/declaration/operations.ts";
import type { Resource, Service } from "../lambdas/declaration/service.ts";
import type { DataStack } from "./stacks/data-stack.ts";
import type { IntegrationApiStack } from "./stacks/integration-api-stack.ts";
import type { StageName } from "./stages/stage.ts";

/**
 * The function of an endpoint or a job, as an application connects it to its own resources: `queue.grantSendMessages(function)`.
 */
export interface ConnectedFunction<Setting extends string = string> extends IGrantable {
  /** Points to the deployed version. */
  readonly alias: IAlias;
  /** Gives a setting that the endpoint or the job declares its value. */
  set(name: Setting, value: string): void;
}

/** The parts of a service's CDK app, which an application can connect its own constructs to. */
export interface ServiceApp<S extends Service = Service, Stream extends string = never> {
  readonly app: App;
  readonly stage: StageName;
  readonly stacks: {
    /** Holds data, and is never rolled back. */
    readonly data: Stack;
    /** Depends on the data stack. A rollback deploys only this stack. */
    readonly api: Stack;
  };
  /** By version, then by the name of the endpoint: `functions.v1.createKey`. */
  readonly functions: FunctionsOf<S>;
  /** By name: `jobs.printLabel`. */
  readonly jobs: FunctionsIn<JobsOf<ResourcesOf<S, keyof S["versions"]>>>;
  /** The tables that the functions use, by the name of the store. */
  readonly tables: Readonly<Record<StoresOf<S>, ITableV2> & Record<Stream, { readonly tableStreamArn: string }>>;
}

type FunctionsOf<S extends Service> = {
  readonly [V in keyof S["versions"]]: FunctionsIn<EndpointsOf<ResourcesOf<S, V>>>;
};

type FunctionsIn<Declared> = {
  readonly [Name in NamesIn<Declared>]: ConnectedFunction<SettingsOf<ValueIn<Declared, Name>>>;
};

/** The names of a service's stores. */
export type StoresOf<S extends Service> = NamesIn<TablesOf<ResourcesOf<S, keyof S["versions"]>>>;

type ResourcesOf<S extends Service, V extends keyof S["versions"]> = S["versions"][V] extends readonly (infer R)[]
  ? R
  : never;

// Each of these types distributes over a union: of resources, or of their endpoints, jobs or tables.
type EndpointsOf<R> = R extends Pick<Resource, "endpoints"> ? R["endpoints"] : never;
type JobsOf<R> = R extends Required<Pick<Resource, "jobs">> ? R["jobs"] : never;
type TablesOf<R> = R extends Required<Pick<Resource, "tables">> ? R["tables"] : never;
type NamesIn<All> = All extends unknown ? keyof All & string : never;
type ValueIn<All, Name> = All extends Readonly<Record<Name & string, infer Value>> ? Value : never;
type SettingsOf<E> = E extends { types?: { values: { settings: infer Settings } } } ? keyof Settings & string : never;

/** Returns the parts of a service's app. */
export const serviceParts = <S extends Service, Stream extends string>(
  app: App,
  { service, stage, stacks }: { service: S; stage: StageName; stacks: { data: DataStack; api: IntegrationApiStack } },
): ServiceApp<S, Stream> => {
  const connected = (functionName: string): ConnectedFunction => {
    const live = stacks.api.functions.find(({ name }) => name === functionName);
    if (!live) throw new Error(`The function ${functionName} is missing.`);
    const { lambda } = live;
    // The cast is needed because the CDK's classes declare `role` as possibly undefined, its interfaces as optional.
    const alias = live.alias as IAlias;
    const set = (name: string, value: string) => lambda.set(name, value);
    return { grantPrincipal: lambda.grantPrincipal, alias, set };
  };
  const functions: Record<string, Record<string, ConnectedFunction>> = {};
  for (const { version, operationId, functionName } of operationsOf(service)) {
    functions[version] = { ...functions[version], [operationId]: connected(functionName) };
  }
  const jobs = Object.fromEntries(jobsOf(service).map(({ name, functionName }) => [name, connected(functionName)]));
  const tables = Object.fromEntries(stacks.api.tables.map(({ store, resource }) => [store, resource]));
  // The compiler cannot follow names through these objects. A test compares them with the declarations.
  return { app, stage, stacks, functions, jobs, tables } as unknown as ServiceApp<S, Stream>;
};
