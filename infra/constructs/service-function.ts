import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement, type PolicyStatementProps, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  Alias,
  Architecture,
  Code,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { DynamoDBAction } from "../../lambdas/dynamodb/rights.ts";
import { logLevelVariable } from "../../lambdas/log.ts";
import { rightsOf, type StoreName, storeNames, tableVariable, type Uses } from "../../lambdas/resources/stores.ts";
import type { BundledFunction } from "../build/bundle.ts";
import { doorOf, type Stage } from "../stages/stage.ts";
import { tableKeyStatement } from "./encryption-key.ts";
import { explain } from "./rule-packs.ts";

export type Tables = Readonly<Record<StoreName, TableV2>>;

interface ServiceFunctionProps
  extends Pick<BundledFunction, "description" | "uses" | "bundleFolder" | "timeoutSeconds"> {
  tables: Tables;
  /** Variables of its environment besides the names of its tables. */
  variables?: Record<string, string>;
  /** The key that the tables are encrypted with, if it is one of this account. */
  encryptionKey: IKey | undefined;
  /** Where it logs. */
  logGroup: ILogGroup;
  stage: Stage;
  /** How many environments of it are kept ready. */
  provisionedConcurrency: number;
}

/**
 * A Lambda function of the service, with a role of its own.
 *
 * It knows the tables of the stores that it uses, and may perform the DynamoDB actions of the operations that it uses on
 * them; nothing else. It is called by its alias `live` alone, which stands for one version of its code and settings.
 */
export class ServiceFunction extends LambdaFunction {
  readonly live: Alias;

  constructor(
    scope: Construct,
    id: string,
    {
      bundleFolder,
      tables,
      variables = {},
      encryptionKey,
      uses,
      logGroup,
      stage,
      provisionedConcurrency,
      description,
      timeoutSeconds = 10,
    }: ServiceFunctionProps,
  ) {
    const role = new Role(scope, `${id}-role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    for (const store of storesOf(uses)) {
      for (const statement of statementsOf(uses, store)) {
        role.addToPolicy(new PolicyStatement({ ...statement, resources: [tables[store].tableArn] }));
      }
    }
    if (encryptionKey && storesOf(uses).length > 0) role.addToPolicy(tableKeyStatement(encryptionKey));
    const cap = stage.concurrencyCaps[doorOf(id)];

    super(scope, id, {
      description,
      code: Code.fromAsset(bundleFolder),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 512,
      timeout: Duration.seconds(timeoutSeconds),
      ...(cap !== undefined && { reservedConcurrentExecutions: cap }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: stage.logsInvocations ? SystemLogLevel.INFO : SystemLogLevel.WARN,
      environment: {
        ...Object.fromEntries(storesOf(uses).map((store) => [tableVariable(store), tables[store].tableName])),
        ...variables,
        [logLevelVariable]: stage.logLevel,
      },
      // An earlier version is there to go back to at once, for as long as the function is.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
    });
    // The library's classes say of their role that it may be undefined, and its interfaces that it may be absent.
    this.live = new Alias(this, "live", {
      aliasName: "live",
      version: this.currentVersion as IVersion,
      description: "The version that answers calls.",
      ...(provisionedConcurrency > 0 && { provisionedConcurrentExecutions: provisionedConcurrency }),
    });
    explain(this, {
      "Serverless-LambdaDLQ":
        doorOf(id) === "usage"
          ? "What it was not able to count is still in the log that it comes from, and an alarm tells of it."
          : "Every call waits for its answer, and is told if there is none: there is nothing to keep for later.",
      "Serverless-LambdaTracing":
        "An HTTP API has no traces to join, and the SDK's own cost 50 ms at each start. What remains of a trace, how long the function took, is in the logs and the metrics.",
    });
  }
}

const storesOf = (uses: Uses): StoreName[] => storeNames.filter((store) => uses[store]);

type Statement = Pick<PolicyStatementProps, "actions" | "conditions">;

/** What the operations in `uses` need on the table of `store`: actions on whole items, and those on some attributes alone. */
const statementsOf = (uses: Uses, store: StoreName): Statement[] => {
  const needed = rightsOf(store, uses[store] ?? []);
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
