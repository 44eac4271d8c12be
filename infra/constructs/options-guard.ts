import { Aspects, Aws, CfnResource, CustomResource, RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { Tables } from "../../lambdas/dynamodb/uses.ts";
import { domainVariable } from "../../lambdas/shared/aws/connect-to-service.ts";
import { guardName } from "../functions.ts";
import { guardedOptions, tableOption } from "../stages/general-options.ts";
import type { Options } from "../stages/options.ts";
import { optionsFileOf } from "../stages/options-file.ts";
import type { Stage } from "../stages/stage.ts";
import { explain } from "./rule-packs.ts";
import { ServiceFunction } from "./service-function.ts";
import { guardedTables } from "./service-tables.ts";

interface GuardFunctionProps {
  bundleFolder: string;
  /** The stacks that the function is called for. */
  stackNames: string[];
  stage: Stage;
}

/** Adds the function that compares the options of a deployment with those of the deployed stack. */
export const addGuardFunction = (
  scope: Construct,
  { bundleFolder, stackNames, stage }: GuardFunctionProps,
): ServiceFunction => {
  const guard = new ServiceFunction(scope, guardName, {
    kind: "check",
    description: "Rejects deployments that would drop options that somebody depends on",
    bundleFolder,
    uses: {},
    tables: [],
    released: [],
    variables: { [domainVariable]: Aws.URL_SUFFIX },
    logGroup: new LogGroup(scope, "OptionsGuardLog", {
      retention: stage.requestLogDays satisfies RetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    }),
    timeoutSeconds: 60,
    stage,
  });
  const resources = stackNames.map((name) =>
    Stack.of(scope).formatArn({ service: "cloudformation", resource: "stack", resourceName: `${name}/*` }),
  );
  guard.addToRolePolicy(new PolicyStatement({ actions: ["cloudformation:DescribeStacks"], resources }));
  const anyStack =
    "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:cloudformation:<AWS::Region>:<AWS::AccountId>:stack";
  for (const name of stackNames) {
    if (guard.role) explain(guard.role, { [`${anyStack}/${name}/*]`]: "The id of a stack ends with a random part." });
  }
  return guard;
};

interface OptionsGuardProps {
  guard: ServiceFunction;
  options: Options;
  /** The tables of the stack, and the name of the stack whose functions use them. */
  data?: { tables: Tables; apiStack: string };
  /**
   * Whether other resources wait for the guard. `cdk import` leaves the guard out, and cannot import resources that wait for it.
   */
  isFirst?: boolean;
}

/** Returns the guarded options that are set. A flag that is off does not count as set. */
const guardedValues = ({ restoredTables, ...options }: Options): Record<string, string> => {
  const values: Record<string, unknown> = { ...options, requireMfa: options.stage.requiresMfa };
  for (const [store, table] of Object.entries(restoredTables)) values[tableOption(store)] = table;
  const names = [...guardedOptions, ...Object.keys(restoredTables).map(tableOption)];
  const set = names.filter((name) => values[name] !== undefined && values[name] !== false);
  return Object.fromEntries(set.map((name) => [name, `${values[name]}`]));
};

/**
 * Stops a deployment that would drop or change a guarded option of the deployed stack, or whose changes of indexes would fail or
 * cause an outage, before CloudFormation changes anything else in the stack. The guard works whoever deploys, from any machine and with any release. Each stack guards all options. The data
 * stack comes first, so if it stops the deployment, neither stack has changed. The other stack has a guard because it can be
 * deployed alone.
 */
export class OptionsGuard extends Construct {
  constructor(scope: Stack, id: string, { guard, options, data, isFirst = true }: OptionsGuardProps) {
    super(scope, id);
    const resource = new CustomResource(this, "Options", {
      serviceToken: guard.functionArn,
      properties: {
        Options: guardedValues(options),
        Allowed: options.allowChange,
        File: optionsFileOf(options.stage.name),
        ...(data && { Tables: guardedTables(data.tables), ApiStack: data.apiStack }),
      },
    });
    const first = resource.node.defaultChild;
    if (!(first instanceof CfnResource)) throw new Error(`${this.node.path} has no resource.`);
    first.overrideLogicalId("OptionsGuard");
    first.addPropertyOverride("ServiceTimeout", 120);
    const own = new Set([guard, guard.role, guard.logGroup].flatMap((one) => one?.node.findAll() ?? []).concat(first));
    if (!isFirst) return;
    Aspects.of(scope).add({
      visit: (node) => {
        if (!CfnResource.isCfnResource(node) || Stack.of(node) !== scope || own.has(node)) return;
        node.addResourceDependency(first);
      },
    });
  }
}
