import type { Alias, IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type LogGroup, SubscriptionFilter } from "aws-cdk-lib/aws-logs";
import { LambdaDestination } from "aws-cdk-lib/aws-logs-destinations";
import { Construct } from "constructs";
import { countedLines } from "../../../lambdas/resources/usage/request-line.ts";

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
