import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { HttpApi, IpAddressType } from "aws-cdk-lib/aws-apigatewayv2";
import type { Construct } from "constructs";
import { type ServiceNames, slugOf } from "../../lambdas/declaration/service.ts";
import { rightsOn } from "../../lambdas/dynamodb/uses.ts";
import { indexesInUse } from "../../lambdas/options-guard/compare-tables.ts";
import { deployInOrder } from "../constructs/deployment-order.ts";
import { HttpStage } from "../constructs/http-stage.ts";
import { addFunctions } from "../constructs/live-functions.ts";
import { OptionsGuard } from "../constructs/options-guard.ts";
import { releasedRightsOf } from "../constructs/released-rights.ts";
import type { LiveFunction } from "../constructs/service-function.ts";
import { ServiceLogs } from "../constructs/service-logs.ts";
import { serviceRoutes } from "../constructs/service-routes.ts";
import { type ServiceTable, tableIdOf, tablesInUse } from "../constructs/service-tables.ts";
import { SignIn } from "../constructs/sign-in.ts";
import { TrafficShift } from "../constructs/traffic-shift.ts";
import { addDailySearch, addUsageFeed } from "../constructs/triggers.ts";
import type { BundledFunction } from "../functions.ts";
import { Monitoring } from "../monitoring/monitoring.ts";
import type { Options } from "../stages/options.ts";
import type { FunctionKind } from "../stages/stage.ts";
import type { DataStack } from "./data-stack.ts";
import { ResourceStack } from "./resource-stack.ts";

interface IntegrationApiStackProps extends StackProps {
  service: ServiceNames;
  functions: BundledFunction[];
  data: DataStack;
  options: Options;
}

/** The service without its data: an HTTP API with a function for each endpoint, the admin functions and the sign-in. */
export class IntegrationApiStack extends Stack {
  /** All functions that are called, also those in nested stacks. */
  readonly functions: readonly LiveFunction[];
  /** The tables that the functions use. */
  readonly tables: readonly ServiceTable[];

  constructor(scope: Construct, id: string, { service, functions, data, options, ...props }: IntegrationApiStackProps) {
    super(scope, id, props);
    const { stage, dualStack, domainName, given } = options;
    // Operators who do not have the options file of the stage can restore it from this metadata. See docs/deploy.md.
    this.templateOptions.metadata = { Options: given };
    new OptionsGuard(this, "OptionsGuard", { guard: data.guard, options });
    const { userPool, accessLog, notices: noticeChannels, encryptionKey } = data;
    const tables = tablesInUse(this, { own: data.tables, options });
    this.tables = tables;

    const logs = new ServiceLogs(this, "Logs", { stage, access: accessLog, encryptionKey });
    const httpApi = new HttpApi(this, "HttpApi", {
      description: `The front door of the ${service.title} (${stage.name}).`,
      createDefaultStage: false,
      disableExecuteApiEndpoint: !options.executeApi,
      ipAddressType: dualStack ? IpAddressType.DUAL_STACK : IpAddressType.IPV4,
    });
    const baseUrl = domainName === undefined ? httpApi.apiEndpoint : `https://${domainName}`;
    const { authorizer, variables: signInVariables } = new SignIn(this, "SignIn", { service, userPool, baseUrl });

    const secretsPath = `/${slugOf(service)}/${stage.name}/`;
    const surroundings = { tables, logs, noticeChannels, baseUrl, signInVariables, options, secretsPath };
    const { own = [], data: _, ...nested } = Object.groupBy(functions, (one) => one.stack ?? "own");
    const { live, check } = addFunctions(this, own, surroundings);
    const aliasesOf = (kind: FunctionKind) => live.filter((one) => one.kind === kind).map(({ alias }) => alias);

    const routes = live.flatMap((target) => serviceRoutes(this, { target, httpApi, authorizer }));
    // Ids are part of the logical ids in deployed stacks, so they outlive the names of the classes.
    new HttpStage(this, "FrontDoor", { httpApi, routes, accessLog: logs.access, options });
    for (const notices of aliasesOf("notices")) addDailySearch(this, notices);
    for (const usage of aliasesOf("usage")) addUsageFeed(this, { log: logs.requests, usage });

    const monitoring =
      stage.monitoring === "none"
        ? undefined
        : new Monitoring(this, "Monitoring", { service, httpApi, tables, logs, encryptionKey, options });
    const watched = monitoring?.watch(monitoring, { title: "Alarms", functions: live });
    const shift =
      watched && check
        ? new TrafficShift(this, "TrafficShift", { ...watched, check, isGradual: options.shiftTraffic })
        : undefined;
    const stacks = Object.entries(nested).map(
      ([name, ofResource = []]) =>
        new ResourceStack(this, name, {
          service,
          functions: ofResource,
          httpApi,
          monitoring,
          application: shift?.application,
          ...surroundings,
        }),
    );
    this.functions = [live, ...stacks.map((one) => one.functions)].flat();
    deployInOrder(live, stacks);
    if (watched) monitoring?.addDashboard(watched, ...stacks.flatMap((one) => one.watched ?? []));

    for (const { store, resource } of tables) {
      const description = `The table of the ${store} that the functions use.`;
      new CfnOutput(this, `${tableIdOf(store)}Name`, { value: resource.tableName, description });
    }
    const indexes = usedIndexes(functions, tables);
    if (indexes.length > 0) {
      const description = "The indexes that the functions may query. The data stack keeps them.";
      new CfnOutput(this, indexesInUse, { value: indexes.join(), description });
    }
    new CfnOutput(this, "BaseUrl", { value: baseUrl, description: "The address of the service." });
    const named = {
      NoticesFunctionName: ["notices", "The function that finds notices: a schedule invokes it."],
      AdminFunctionName: ["admin", "The function to invoke to issue, list, rotate and revoke tokens."],
    } as const;
    for (const [id, [kind, description]] of Object.entries(named)) {
      for (const { functionName } of aliasesOf(kind)) new CfnOutput(this, id, { value: functionName, description });
    }
  }
}

/** Returns the indexes that functions have a right to, such as `tokens.by_issuer`. */
const usedIndexes = (functions: readonly BundledFunction[], tables: readonly ServiceTable[]): string[] => {
  const used = functions.flatMap(({ name, uses }) =>
    tables.flatMap(({ store, declaration }) =>
      [
        ...rightsOn(declaration, uses[store] ?? []),
        ...releasedRightsOf(name).flatMap(({ stores }) => stores[store] ?? []),
      ].flatMap((right) => (typeof right === "object" && "index" in right ? [`${store}.${right.index}`] : [])),
    ),
  );
  return [...new Set(used)].toSorted();
};
