import type { Alias, IFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, type LogGroup, SubscriptionFilter } from "aws-cdk-lib/aws-logs";
import { LambdaDestination } from "aws-cdk-lib/aws-logs-destinations";
import { Construct } from "constructs";
import { countedLines } from "../../lambdas/resources/usage/request-line.ts";

interface UsageFeedProps {
  /** The log whose lines are counted; not the function's own, or it would be called for what it writes. */
  log: LogGroup;
  usage: Alias;
}

/** Brings the lines of requests to the function that counts them, as they are written: the requests do nothing for it. */
export class UsageFeed extends Construct {
  constructor(scope: Construct, id: string, { log, usage }: UsageFeedProps) {
    super(scope, id);
    new SubscriptionFilter(this, "Requests", {
      logGroup: log,
      filterPattern: FilterPattern.literal(countedLines),
      // Gives the log, and nothing else, the right to invoke the function.
      destination: new LambdaDestination(usage as IFunction),
    });
  }
}
