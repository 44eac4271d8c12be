import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, type PolicyStatementProps, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { type StoreName, storeNames, storeRights, tableVariable, type Uses } from "../lambdas/declaration/stores.ts";
import type { DynamoDBAction, Right } from "../lambdas/dynamodb/rights.ts";
import type { BundledFunction } from "./bundle.ts";

export type Tables = Readonly<Record<StoreName, TableV2>>;

interface ServiceFunctionProps
  extends Pick<BundledFunction, "description" | "uses" | "bundleFolder" | "timeoutSeconds"> {
  tables: Tables;
  /** Variables of its environment besides the names of its tables. */
  variables?: Record<string, string>;
}

/**
 * A Lambda function of the service, with a role and a log group of its own.
 *
 * It knows the tables of the stores that it uses, and may perform the DynamoDB actions of the operations that it uses on
 * them; nothing else.
 */
export class ServiceFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    id: string,
    { bundleFolder, tables, variables = {}, uses, description, timeoutSeconds = 10 }: ServiceFunctionProps,
  ) {
    const logGroup = new LogGroup(scope, `${id}-log`, {
      retention: RetentionDays.THREE_MONTHS,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const role = new Role(scope, `${id}-role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    for (const store of storesOf(uses)) {
      for (const statement of statementsOf(uses, store)) {
        role.addToPolicy(new PolicyStatement({ ...statement, resources: [tables[store].tableArn] }));
      }
    }

    super(scope, id, {
      description,
      code: Code.fromAsset(bundleFolder),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.seconds(timeoutSeconds),
      role,
      logGroup,
      environment: {
        ...Object.fromEntries(storesOf(uses).map((store) => [tableVariable(store), tables[store].tableName])),
        ...variables,
      },
    });
  }
}

const storesOf = (uses: Uses): StoreName[] => storeNames.filter((store) => uses[store]);

type Statement = Pick<PolicyStatementProps, "actions" | "conditions">;

/** What the operations in `uses` need on the table of `store`: actions on whole items, and those on some attributes alone. */
const statementsOf = (uses: Uses, store: StoreName): Statement[] => {
  const rights: Readonly<Record<string, readonly Right[]>> = storeRights[store];
  const needed = (uses[store] ?? []).flatMap((operation) => rights[operation] ?? []);
  const whole = new Set(needed.filter((right) => typeof right === "string"));
  const partial = needed.filter((right) => typeof right === "object").filter(({ action }) => !whole.has(action));
  return [
    ...(whole.size > 0 ? [{ actions: [...whole].map(iamAction) }] : []),
    ...partial.map(({ action, attributes }) => ({
      actions: [iamAction(action)],
      conditions: { "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes } },
    })),
  ];
};

const iamAction = (action: DynamoDBAction): string => `dynamodb:${action}`;
