import { ArnFormat, Aws, CfnResource, Stack } from "aws-cdk-lib";
import type { IAlarm } from "aws-cdk-lib/aws-cloudwatch";
import {
  type ILambdaDeploymentConfig,
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { domainVariable } from "../../../lambdas/aws/connect-to-service.ts";
import { versionsVariable } from "../../../lambdas/functions/serve-version-check.ts";
import { explain } from "../rule-packs.ts";
import type { LiveFunction, ServiceFunction } from "./service-function.ts";

export interface MonitoredFunction extends LiveFunction {
  /** Fires if its calls fail, and then rolls a new version back. */
  failureAlarm: IAlarm;
}

interface TrafficShiftProps {
  functions: MonitoredFunction[];
  /** Otherwise a new version gets all calls as soon as it has passed its check. */
  isGradual: boolean;
  /** Checks that a new version answers. */
  check: ServiceFunction;
}

/**
 * How a new version takes over. First it must answer the requests of the version check. Then it gets a tenth of the calls for
 * five minutes, and then all of them. If the check fails, or the function's alarm fires meanwhile, CodeDeploy returns all calls
 * to the previous version, and CloudFormation rolls the whole deployment back.
 */
export class TrafficShift extends Construct {
  constructor(scope: Construct, id: string, { functions, check, isGradual }: TrafficShiftProps) {
    super(scope, id);
    const application = new LambdaApplication(this, "Application");
    const role = this.role(functions, check);
    this.allowCheck(check, application, functions);

    for (const { name, kind, alias, failureAlarm } of functions) {
      const group = new LambdaDeploymentGroup(this, name, {
        application,
        // The check finds out by this name which version it has to check. It is unique in the application.
        deploymentGroupName: name,
        alias,
        alarms: [failureAlarm],
        deploymentConfig: isGradual ? shiftOf(kind) : LambdaDeploymentConfig.ALL_AT_ONCE,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
        // Otherwise CDK attaches a managed policy of AWS that allows changes to every function of the account.
        role: role.withoutPolicyUpdates(),
      });
      group.node.addDependency(role);
      checkBeforeTraffic(alias, check);
    }
  }

  private role(functions: LiveFunction[], check: ServiceFunction): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    role.addToPolicy(
      new PolicyStatement({
        actions: ["lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"],
        resources: functions.flatMap(({ alias }) => [alias.lambda.functionArn, `${alias.lambda.functionArn}:live`]),
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [check.functionArn] }));
    role.addToPolicy(
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
    );
    explain(role, {
      "AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:cloudwatch:<AWS::Region>:<AWS::AccountId>:alarm:*]":
        "CloudWatch grants the right to look at alarms on all of a region's or on none, whichever are named.",
    });
    return role;
  }

  /** Lets the check invoke the new versions, and no others, and report to the deployments of this application. */
  private allowCheck(check: ServiceFunction, application: LambdaApplication, functions: LiveFunction[]): void {
    const versions = functions.map(({ name, alias }) => [
      name,
      `${alias.lambda.functionName}:${alias.version.version}`,
    ]);
    check.addEnvironment(versionsVariable, Stack.of(this).toJsonString(Object.fromEntries(versions)));
    check.addEnvironment(domainVariable, Aws.URL_SUFFIX);
    check.addToRolePolicy(
      new PolicyStatement({
        actions: ["lambda:InvokeFunction"],
        resources: functions.map(({ alias }) => alias.version.functionArn),
      }),
    );
    check.addToRolePolicy(
      new PolicyStatement({
        actions: ["codedeploy:GetDeployment", "codedeploy:PutLifecycleEventHookExecutionStatus"],
        resources: functions.map(({ name }) =>
          Stack.of(this).formatArn({
            service: "codedeploy",
            resource: "deploymentgroup",
            resourceName: `${application.applicationName}/${name}`,
            arnFormat: ArnFormat.COLON_RESOURCE_NAME,
          }),
        ),
      }),
    );
  }
}

/**
 * The site is shifted all at once: a page and the files that it refers to must come from the same version. A browser that has
 * loaded a page asks for no more of its files.
 */
const shiftOf = (kind: LiveFunction["kind"]): ILambdaDeploymentConfig =>
  kind === "site" ? LambdaDeploymentConfig.ALL_AT_ONCE : LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES;

/**
 * Sets the hook in the alias. The CDK's `preHook` would also add rights that refer to the deployment groups, on which the alias
 * depends, and the alias must depend on the check: an update then replaces the check, and what it may do, first.
 */
const checkBeforeTraffic = (alias: Alias, check: ServiceFunction): void => {
  const resource = alias.node.defaultChild;
  if (!(resource instanceof CfnResource)) return;
  resource.addOverride("UpdatePolicy.CodeDeployLambdaAliasUpdate.BeforeAllowTrafficHook", check.functionName);
  alias.node.addDependency(check);
};
