import { hash } from "node:crypto";
import { Aws, Duration, Lazy, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { HttpRouteKey } from "aws-cdk-lib/aws-apigatewayv2";
import { CfnPolicy, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  Alias,
  Architecture,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import { rightsOn, tableVariable } from "../../lambdas/dynamodb/uses.ts";
import { logLevelVariable } from "../../lambdas/shared/log.ts";
import { codeIn } from "../bundles/code-caches.ts";
import type { BundledFunction } from "../functions.ts";
import type { FunctionKind, Stage } from "../stages/stage.ts";
import { tableKeyStatement } from "./encryption-key.ts";
import type { ReleasedRights } from "./released-rights.ts";
import { explain } from "./rule-packs.ts";
import type { ServiceTable } from "./service-tables.ts";
import { tableStatements } from "./table-statements.ts";

/** A deployed function, as routes, alarms and deployments refer to it. */
export interface LiveFunction {
  name: string;
  kind: FunctionKind;
  routeKeys: HttpRouteKey[];
  alias: Alias;
}

interface ServiceFunctionProps
  extends Pick<BundledFunction, "kind" | "description" | "uses" | "bundleFolder" | "timeoutSeconds"> {
  tables: readonly ServiceTable[];
  /** The function's rights in the releases that it may be rolled back to. */
  released: readonly ReleasedRights[];
  /** Environment variables in addition to the names of the tables. */
  variables: Record<string, string>;
  logGroup: ILogGroup;
  stage: Stage;
}

/**
 * A Lambda function of the service, with its own role.
 *
 * Its environment names the tables of the stores that it uses. It may perform only the DynamoDB actions that its operations need
 * now or needed in the last release, because an operator may roll it back.
 */
export class ServiceFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    id: string,
    {
      kind,
      bundleFolder,
      tables,
      released,
      variables,
      uses,
      logGroup,
      stage,
      description,
      timeoutSeconds = 10,
    }: ServiceFunctionProps,
  ) {
    const role = new Role(scope, `${id}-role`, { assumedBy: new ServicePrincipal("lambda.amazonaws.com") });
    logGroup.grantWrite(role);
    // If functions know the account id, they use the account's own DynamoDB endpoint.
    const environment: Record<string, string> = Object.keys(uses).length > 0 ? { AWS_ACCOUNT_ID: Aws.ACCOUNT_ID } : {};
    const keys = new Set<IKey>();
    for (const { store, declaration, resource, encryptionKey } of tables) {
      const operations = uses[store];
      const rights = [
        ...rightsOn(declaration, operations ?? []),
        ...released.flatMap(({ stores }) => stores[store] ?? []),
      ];
      if (rights.length === 0) continue;
      if (encryptionKey) keys.add(encryptionKey);
      if (operations) environment[tableVariable(store)] = resource.tableName;
      for (const statement of tableStatements(resource.tableArn, rights)) {
        role.addToPolicy(new PolicyStatement(statement));
      }
    }
    for (const key of keys) role.addToPolicy(tableKeyStatement(key));
    // The check function has no versions. It is changed in place, before the functions that it checks.
    if (kind !== "check") replaceOnChange(role);
    const cap = stage.concurrencyCaps[kind];

    super(scope, id, {
      description,
      ...codeIn(bundleFolder),
      runtime: Runtime.NODEJS_24_X,
      architecture: stage.architecture === "arm64" ? Architecture.ARM_64 : Architecture.X86_64,
      memorySize: 512,
      timeout: Duration.seconds(timeoutSeconds),
      ...(cap !== undefined && { reservedConcurrentExecutions: cap }),
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      systemLogLevelV2: stage.logsInvocations ? SystemLogLevel.INFO : SystemLogLevel.WARN,
      environment: { ...environment, ...variables, [logLevelVariable]: stage.logLevel },
      // Earlier versions are kept as long as the function, so that a rollback is immediate. A version whose deployment fails is
      // deleted, because Lambda would otherwise refuse to publish the same code and settings again when the deployment is retried.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    explain(this, {
      "Serverless-LambdaDLQ":
        kind === "usage"
          ? "Lines that it could not count are still in their log, and an alarm reports them."
          : kind === "notices"
            ? "The next run finds and sends whatever a failed one did not, and an alarm reports it."
            : "Every caller waits for the response and sees a failure, so there is nothing to keep for later.",
      "Serverless-LambdaTracing":
        "HTTP APIs do not support tracing, and the SDK's tracer adds 50 ms to each cold start. How long a function took is in the logs and the metrics.",
    });
  }

  /**
   * Publishes a version of the function's code and settings, and the alias `live` that all callers use.
   *
   * @param ready the number of environments to keep ready
   */
  publish({ ready }: { ready: number }): Alias {
    return new Alias(this, "live", {
      aliasName: "live",
      // The cast is needed because the CDK's classes declare `role` as possibly undefined, while its interfaces declare it as
      // optional.
      version: this.currentVersion as IVersion,
      description: "The version that serves calls.",
      ...(ready > 0 && { provisionedConcurrentExecutions: ready }),
    });
  }
}

/**
 * Derives the name of a role's policy from its content. All versions of a function share its role. CloudFormation would change a
 * policy with the same name before any calls move to the new version. With a new name, CloudFormation adds the new policy first,
 * and removes the old one only after all calls have moved. During updates and rollbacks, each version therefore keeps its rights
 * for as long as it serves calls.
 */
export const replaceOnChange = (role: Role): void => {
  const policy = role.node.findChild("DefaultPolicy").node.defaultChild;
  if (!(policy instanceof CfnPolicy)) throw new Error(`The role ${role.node.id} has no policy.`);
  const stack = Stack.of(role);
  const id: string = stack.resolve(policy.logicalId);
  const content = (): string => hash("sha256", JSON.stringify(stack.resolve(policy.policyDocument)), "hex");
  const idOfContent = Lazy.uncachedString({ produce: () => `${id.slice(-112)}${content().slice(0, 16)}` });
  policy.overrideLogicalId(idOfContent);
  // IAM identifies the policy by this name. If both policies had the same name in IAM, removing the old policy would also remove
  // the new one.
  policy.policyName = idOfContent;
};
