import { Duration, TimeZone } from "aws-cdk-lib";
import { PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import type { Alias, IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type LogGroup, SubscriptionFilter } from "aws-cdk-lib/aws-logs";
import { LambdaDestination } from "aws-cdk-lib/aws-logs-destinations";
import { Schedule, ScheduleExpression, ScheduleTargetInput } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Construct } from "constructs";
import { countedLines } from "../../lambdas/domain/usage/request-line.ts";
import { forThisAccount } from "./this-account.ts";

/** Starts the function that finds notices once a day, early in the morning in most of Europe. */
export const addDailySearch = (scope: Construct, notices: Alias): void => {
  const search = new Construct(scope, "DailySearch");
  const role = new Role(search, "Role", { assumedBy: forThisAccount("scheduler") });
  role.addToPolicy(new PolicyStatement({ actions: ["lambda:InvokeFunction"], resources: [notices.functionArn] }));
  new Schedule(search, "Schedule", {
    description: "Finds what people should know about tokens.",
    schedule: ScheduleExpression.cron({ minute: "0", hour: "6", timeZone: TimeZone.ETC_UTC }),
    target: new LambdaInvoke(notices as IFunction, {
      input: ScheduleTargetInput.fromObject({ task: "daily" }),
      role: role.withoutPolicyUpdates(),
      retryAttempts: 10,
      maxEventAge: Duration.hours(6),
    }),
  });
};

/**
 * Sends the log lines of requests to the function that counts them, so that requests do not have to count themselves. The log must
 * not be the function's own log, because each invocation would then cause another one.
 */
export const addUsageFeed = (scope: Construct, { log, usage }: { log: LogGroup; usage: Alias }): void => {
  new SubscriptionFilter(new Construct(scope, "UsageFeed"), "Requests", {
    logGroup: log,
    filterPattern: FilterPattern.literal(countedLines),
    // Allows only this log to invoke the function.
    destination: new LambdaDestination(usage as IFunction),
  });
};
