import { ArnFormat, Aws, CfnResource, CustomResource, RemovalPolicy, Stack } from "aws-cdk-lib";
import type { IAlarm } from "aws-cdk-lib/aws-cloudwatch";
import {
  type ILambdaApplication,
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from "aws-cdk-lib/aws-codedeploy";
import { PolicyDocument, PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { domainVariable } from "../../lambdas/shared/aws/connect-to-service.ts";
import { explain } from "./rule-packs.ts";
import type { LiveFunction, ServiceFunction } from "./service-function.ts";
import { forThisAccount } from "./this-account.ts";

export interface MonitoredFunction extends LiveFunction {
  /** Fires if the calls of a new version fail. CodeDeploy then rolls the version back. */
  failureAlarm: IAlarm;
}

interface TrafficShiftProps {
  functions: MonitoredFunction[];
  /** If false, a new version gets all calls as soon as it has passed its check. */
  isGradual: boolean;
  /** Checks that a new version responds. */
  check: ServiceFunction;
  /** An existing application in another stack to use instead of a new one. */
  application?: ILambdaApplication;
}

/**
 * Shifts traffic to new versions. Each new version must first pass the version check. The version then gets a tenth of the calls
 * for five minutes, and then all of them. If its alarm fires in the meantime, CodeDeploy returns all calls to the previous version.
 * If that happens or the check fails, CloudFormation rolls back the whole deployment.
 */
export class TrafficShift extends Construct {
  readonly application: ILambdaApplication;

  constructor(scope: Construct, id: string, { functions, check, isGradual, ...others }: TrafficShiftProps) {
    super(scope, id);
    const { application = new LambdaApplication(this, "Application") } = others;
    this.application = application;
    const role = this.role(functions);
    const checked = this.checked(check, functions);

    for (const { name, kind, alias, failureAlarm } of functions) {
      const group = new LambdaDeploymentGroup(this, name, {
        application,
        deploymentGroupName: name,
        alias,
        alarms: [failureAlarm],
        // A version must not get all calls unless its failures can be observed.
        ignorePollAlarmsFailure: false,
        deploymentConfig: isGradual ? shiftOf(kind) : LambdaDeploymentConfig.ALL_AT_ONCE,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
        // Otherwise, the CDK attaches an AWS managed policy that allows changes to every function of the account.
        role: role.withoutPolicyUpdates(),
      });
      group.node.addDependency(role);
      alias.node.addDependency(checked);
    }
  }

  private role(functions: LiveFunction[]): Role {
    const statements = [
      new PolicyStatement({
        actions: ["lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"],
        resources: functions.flatMap(({ alias }) => [alias.lambda.functionArn, `${alias.lambda.functionArn}:live`]),
      }),
      new PolicyStatement({
        actions: ["cloudwatch:DescribeAlarms"],
        resources: [
          Stack.of(this).formatArn({
            service: "cloudwatch",
            resource: "alarm",
            resourceName: "*",
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ],
      }),
    ];
    // In nested stacks, which have many functions, the policy is part of the role. The CDK would move some statements of a separate
    // policy to a managed policy, which has a lower size limit.
    const isNested = Stack.of(this).nestedStackParent !== undefined;
    const role = new Role(this, "Role", {
      assumedBy: forThisAccount("codedeploy"),
      ...(isNested && { inlinePolicies: { Shift: new PolicyDocument({ statements }) } }),
    });
    if (!isNested) for (const statement of statements) role.addToPolicy(statement);
    explain(role, {
      "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:*]":
        "CloudWatch grants the right to read alarms only for all alarms of a region.",
    });
    return role;
  }

  /** Adds the check of the new versions. The check may invoke only these functions. */
  private checked(check: ServiceFunction, functions: LiveFunction[]): CustomResource {
    check.addEnvironment(domainVariable, Aws.URL_SUFFIX);
    check.addToRolePolicy(
      new PolicyStatement({
        actions: ["lambda:InvokeFunction"],
        resources: functions.map(({ alias }) => alias.version.functionArn),
      }),
    );
    // The check needs to know whether the stack is being rolled back.
    check.addToRolePolicy(
      new PolicyStatement({ actions: ["cloudformation:DescribeStacks"], resources: [Aws.STACK_ID] }),
    );
    const checked = new CustomResource(this, "Checked", {
      serviceToken: check.functionArn,
      properties: {
        Versions: Object.fromEntries(functions.map(({ name, alias }) => [name, alias.version.functionArn])),
        PatienceSeconds: 120,
      },
      // There is nothing to delete, so a failing check must not block the removal of the stack.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    // Half an hour, because Lambda may start the check late if it has no capacity. The CDK's own property becomes a string, which
    // causes a warning in CloudFormation's validation.
    const resource = checked.node.defaultChild;
    if (resource instanceof CfnResource) resource.addPropertyOverride("ServiceTimeout", 30 * 60);
    checked.node.addDependency(check);
    return checked;
  }
}

/**
 * Returns how the traffic of a function is shifted. The site is shifted all at once, because a page and the files that it refers to
 * must come from the same version. After it has loaded a page, a browser does not request these files again.
 */
const shiftOf = (kind: LiveFunction["kind"]): ILambdaDeploymentConfig =>
  kind === "site" ? LambdaDeploymentConfig.ALL_AT_ONCE : LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES;
