import { ArnFormat, Stack } from "aws-cdk-lib";
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { LiveFunction } from "../monitoring/function-alarms.ts";
import type { Monitoring } from "../monitoring/monitoring.ts";
import { explain } from "./rule-packs.ts";

interface TrafficShiftProps {
  functions: LiveFunction[];
  monitoring: Monitoring;
}

/**
 * How a new version comes to answer calls: a tenth of them for five minutes, then all. If the function's alarm goes off
 * meanwhile, CodeDeploy gives all calls back to the version before, and CloudFormation takes the whole deployment back.
 */
export class TrafficShift extends Construct {
  constructor(scope: Construct, id: string, { functions, monitoring }: TrafficShiftProps) {
    super(scope, id);
    const application = new LambdaApplication(this, "Application");
    const role = this.role(functions);

    for (const { name, live } of functions) {
      const alarm = monitoring.failing.get(name);
      if (!alarm)
        throw new Error(`The function ${name} has no alarm that a new version of it could be taken back for.`);
      const group = new LambdaDeploymentGroup(this, name, {
        application,
        alias: live,
        alarms: [alarm],
        deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
        // Otherwise it would get a policy of AWS's, which lets it change every function of the account.
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
        resources: functions.flatMap(({ live }) => [live.lambda.functionArn, `${live.lambda.functionArn}:live`]),
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
