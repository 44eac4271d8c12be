import { ArnFormat, Stack } from "aws-cdk-lib";
import type { IAlarm } from "aws-cdk-lib/aws-cloudwatch";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import { explain } from "../rule-packs.ts";
import type { LiveFunction } from "./service-function.ts";

export interface MonitoredFunction extends LiveFunction {
  /** Fires if its calls fail, and then rolls a new version back. */
  failureAlarm: IAlarm;
}

interface TrafficShiftProps {
  functions: MonitoredFunction[];
  /** Otherwise a new version gets all calls as soon as it is deployed. */
  isGradual: boolean;
}

/**
 * How a new version takes over: a tenth of the calls for five minutes, then all of them. If the function's alarm fires
 * meanwhile, CodeDeploy returns all calls to the previous version, and CloudFormation rolls the whole deployment back.
 */
export class TrafficShift extends Construct {
  constructor(scope: Construct, id: string, { functions, isGradual }: TrafficShiftProps) {
    super(scope, id);
    const application = new LambdaApplication(this, "Application");
    const role = this.role(functions);

    for (const { name, alias, failureAlarm } of functions) {
      const group = new LambdaDeploymentGroup(this, name, {
        application,
        alias,
        alarms: [failureAlarm],
        deploymentConfig: isGradual
          ? LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES
          : LambdaDeploymentConfig.ALL_AT_ONCE,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
        // Otherwise CDK attaches a managed policy of AWS that allows changes to every function of the account.
        role: role.withoutPolicyUpdates(),
      });
      group.node.addDependency(role);
    }
  }

  private role(functions: LiveFunction[]): Role {
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("codedeploy.amazonaws.com") });
    role.addToPolicy(
      new PolicyStatement({
        actions: ["lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"],
        resources: functions.flatMap(({ alias }) => [alias.lambda.functionArn, `${alias.lambda.functionArn}:live`]),
      }),
    );
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
}
