import type { Construct } from "constructs";
import { baseUrlVariable } from "../../lambdas/shared/environment.ts";
import type { BundledFunction } from "../functions.ts";
import type { Options } from "../stages/options.ts";
import { takeTurns } from "./deployment-order.ts";
import { requireSettings, secretsStatement, variablesOf } from "./function-values.ts";
import type { NoticeChannels } from "./notice-channels.ts";
import { releasedRightsOf } from "./released-rights.ts";
import { type LiveFunction, ServiceFunction } from "./service-function.ts";
import type { ServiceLogs } from "./service-logs.ts";
import type { ServiceTable } from "./service-tables.ts";
import type { SignIn } from "./sign-in.ts";

/** The parts of the service that functions are connected to. */
export interface FunctionStackProps {
  tables: readonly ServiceTable[];
  logs: ServiceLogs;
  noticeChannels: NoticeChannels;
  baseUrl: string;
  /** Variables about the sign-in, by the kind of function. */
  signInVariables: SignIn["variables"];
  options: Options;
  /** The beginning of the names of the stage's secrets, such as `/freight/prod/`. */
  secretsPath: string;
}

/** Adds functions to a stack. Each callable function gets an alias. If the stage has a version check, the stack gets one too. */
export const addFunctions = (
  scope: Construct,
  functions: readonly BundledFunction[],
  { tables, logs, noticeChannels, baseUrl, signInVariables, options, secretsPath }: FunctionStackProps,
): { live: LiveFunction[]; check: ServiceFunction | undefined } => {
  const { stage, provisionedConcurrency } = options;
  const lambdas = functions
    .filter(({ kind }) => kind !== "check" || stage.shiftsTraffic)
    .map(({ name, routeKeys, ...declaration }) => {
      const { kind, sendsNotices, needsBaseUrl, values } = declaration;
      const released = releasedRightsOf(name);
      const lambda = new ServiceFunction(scope, name, {
        ...declaration,
        tables,
        released,
        ...(values?.settings && { settings: values.settings }),
        variables: {
          ...signInVariables[kind],
          ...(sendsNotices && noticeChannels.variables()),
          ...variablesOf(values, { settings: options.settings, secretsPath }),
          ...((sendsNotices || needsBaseUrl) && { [baseUrlVariable]: baseUrl }),
        },
        logGroup: logs.groupOf(kind),
        stage,
      });
      if ([declaration, ...released].some((rights) => rights.sendsNotices)) noticeChannels.grantSend(lambda);
      if (values?.secrets) lambda.addToRolePolicy(secretsStatement(scope, secretsPath, Object.keys(values.secrets)));
      requireSettings(lambda, values?.settings, stage.name);
      return { name, kind, routeKeys, lambda };
    });
  const live = lambdas
    .filter(({ kind }) => kind !== "check")
    .map((declaration): LiveFunction => {
      const ready = declaration.kind === "endpoint" ? provisionedConcurrency : 0;
      return { ...declaration, alias: declaration.lambda.publish({ ready }) };
    });
  takeTurns(live);
  return { live, check: lambdas.find(({ kind }) => kind === "check")?.lambda };
};
