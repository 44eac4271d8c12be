import { Aws, Duration, RemovalPolicy, Token } from "aws-cdk-lib";
import type { HttpRouteKey } from "aws-cdk-lib/aws-apigatewayv2";
import { type IPrincipal, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import {
  type Alias,
  Architecture,
  type IVersion,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from "aws-cdk-lib/aws-lambda";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { ValueSchemas } from "../../lambdas/declaration/endpoint.ts";
import { rightsOn, tableVariable } from "../../lambdas/dynamodb/uses.ts";
import { settingVariable } from "../../lambdas/shared/environment.ts";
import { logLevelVariable } from "../../lambdas/shared/log.ts";
import { codeIn } from "../bundles/code-caches.ts";
import type { BundledFunction } from "../functions.ts";
import { OptionError } from "../stages/option-error.ts";
import { problemsOf } from "../stages/settings.ts";
import type { FunctionKind, Stage } from "../stages/stage.ts";
import { tableKeyStatement } from "./encryption-key.ts";
import { GrantedRights, replaceOnChange } from "./function-policies.ts";
import { LiveAlias } from "./live-alias.ts";
import type { ReleasedRights } from "./released-rights.ts";
import { explain } from "./rule-packs.ts";
import type { ServiceTable } from "./service-tables.ts";
import { tableStatements } from "./table-statements.ts";

/** A deployed function, as routes, alarms and deployments refer to it. */
export interface LiveFunction {
  name: string;
  kind: FunctionKind;
  routeKeys: HttpRouteKey[];
  lambda: ServiceFunction;
  alias: Alias;
}

interface ServiceFunctionProps
  extends Pick<BundledFunction, "kind" | "description" | "uses" | "bundleFolder" | "timeoutSeconds"> {
  tables: readonly ServiceTable[];
  /** The function's rights in the releases that it may be rolled back to. */
  released: readonly ReleasedRights[];
  /** Environment variables in addition to the names of the tables. */
  variables: Record<string, string>;
  /** The settings that the function declares. */
  settings?: ValueSchemas;
  logGroup: ILogGroup;
  stage: Stage;
}

/** Why a function needs no dead-letter queue. */
const reasonsForNoQueue: Readonly<Partial<Record<FunctionKind, string>>> = {
  usage: "Lines that it could not count are still in their log, and an alarm reports them.",
  notices: "The next run finds and sends whatever a failed one did not, and an alarm reports it.",
  job: "A queue keeps and repeats its messages. Lambda repeats any other event twice, and an alarm reports lasting failures.",
};

const reasonForCalled =
  "Every caller waits for the response and sees a failure, so there is nothing to keep for later.";

/**
 * A Lambda function of the service, with its own role.
 *
 * Its environment names the tables of the stores that it uses. It may perform only the DynamoDB actions that its operations need
 * now or needed in the last release, because an operator may roll it back. What an application grants it is in a second policy.
 */
export class ServiceFunction extends LambdaFunction {
  override readonly grantPrincipal: IPrincipal;
  readonly #timeoutSeconds: number;
  readonly #settings: ValueSchemas;
  readonly #given: Readonly<Record<string, string>>;
  readonly #set = new Set<string>();

  constructor(
    scope: Construct,
    id: string,
    {
      kind,
      bundleFolder,
      tables,
      released,
      variables,
      settings = {},
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
    if (kind !== "check") replaceOnChange(role, "DefaultPolicy");
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
      // deleted, because Lambda would otherwise not publish the same code and settings again when the deployment is retried.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    this.grantPrincipal = new GrantedRights(role);
    this.#timeoutSeconds = timeoutSeconds;
    this.#settings = settings;
    this.#given = variables;
    explain(this, {
      "Serverless-LambdaDLQ": reasonsForNoQueue[kind] ?? reasonForCalled,
      "Serverless-LambdaTracing":
        "HTTP APIs do not support tracing, and the SDK's tracer adds 50 ms to each cold start. How long a function took is in the logs and the metrics.",
    });
  }

  /**
   * Gives a declared setting its value, as an environment variable, unless the options of the stage or the local run have one.
   *
   * @param value what CloudFormation knows only when it deploys is not compared with the schema
   * @throws {OptionError} if the function does not declare the setting, if its schema rejects the value, or if it was set before
   */
  set(name: string, value: string): void {
    const { id } = this.node;
    if (!Object.hasOwn(this.#settings, name)) {
      const names = Object.keys(this.#settings);
      const declared = names.length === 0 ? "no settings" : `only ${names.join(", ")}`;
      throw new OptionError(`${id} has no setting ${name}: it declares ${declared}.`);
    }
    if (this.#set.has(name)) throw new OptionError(`The setting ${name} of ${id} is set twice. Set it once.`);
    this.#set.add(name);
    const problems = Token.isUnresolved(value) ? [] : problemsOf("setting", this.#settings, { [name]: value });
    if (problems.length > 0) throw new OptionError(`Correct what is set for ${id}: ${problems.join(" ")}`);
    if (!(settingVariable(name) in this.#given)) this.addEnvironment(settingVariable(name), value);
  }

  /**
   * Publishes a version of the function's code and settings, and the alias `live` that all callers use.
   *
   * @param ready the number of environments to keep ready
   */
  publish({ ready }: { ready: number }): Alias {
    return new LiveAlias(this, "live", {
      aliasName: "live",
      // The cast is needed because the CDK's classes declare `role` as possibly undefined, while its interfaces declare it as
      // optional.
      version: this.currentVersion as IVersion,
      description: "The version that serves calls.",
      timeoutSeconds: this.#timeoutSeconds,
      ...(ready > 0 && { provisionedConcurrentExecutions: ready }),
    });
  }
}
