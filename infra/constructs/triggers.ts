import { Duration, TimeZone } from "aws-cdk-lib";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Alias, IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type LogGroup, SubscriptionFilter } from "aws-cdk-lib/aws-logs";
import { LambdaDestination } from "aws-cdk-lib/aws-logs-destinations";
import { Schedule, ScheduleExpression, ScheduleTargetInput } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Construct } from "constructs";
import { countedLines } from "../../lambdas/resources/usage/request-line.ts";

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

interface UsageFeedProps {
  /** The log whose lines are counted. This must not be the usage function's own log, or each invocation would cause another. */
  log: LogGroup;
  usage: Alias;
}

/** Sends the lines of requests to the function that counts them, so that requests do not have to count themselves. */
export class UsageFeed extends Construct {
  constructor(scope: Construct, id: string, { log, usage }: UsageFeedProps) {
    super(scope, id);
    new SubscriptionFilter(this, "Requests", {
      logGroup: log,
      filterPattern: FilterPattern.literal(countedLines),
      // Allows this log, and nothing else, to invoke the function.
      destination: new LambdaDestination(usage as IFunction),
    });
  }
}
