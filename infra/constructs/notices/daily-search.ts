import { Duration, TimeZone } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias, IFunction } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression, ScheduleTargetInput } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Construct } from "constructs";

/** Starts the function that finds notices once a day, early in the morning in most of Europe. */
export class DailySearch extends Construct {
  constructor(scope: Construct, id: string, { notices }: { notices: Alias }) {
    super(scope, id);
    const role = new Role(this, "Role", { assumedBy: new ServicePrincipal("scheduler.amazonaws.com") });
    role.addToPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [notices.functionArn] }));
    new Schedule(this, "Schedule", {
      description: "Finds what people should know about tokens.",
      schedule: ScheduleExpression.cron({ minute: "0", hour: "6", timeZone: TimeZone.ETC_UTC }),
      target: new LambdaInvoke(notices as IFunction, {
        input: ScheduleTargetInput.fromObject({ task: "daily" }),
        role: role.withoutPolicyUpdates(),
        retryAttempts: 10,
        maxEventAge: Duration.hours(6),
      }),
    });
  }
}
