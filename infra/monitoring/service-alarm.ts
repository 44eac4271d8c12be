import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { anchorOf } from "../../lambdas/addresses.ts";

/** Where alarms are sent, and the instructions for their readers. */
export interface AlarmTarget {
  topic: ITopic;
  /** The address of the runbook, to which a section is added. */
  runbookUrl: string;
}

/** When an alarm fires, and what its readers are told. */
export interface AlarmRule {
  metric: IMetric;
  /** Fires at this value or above, unless `comparison` says otherwise. */
  threshold: number;
  comparison?: ComparisonOperator;
  /** How to treat missing data: as good unless given. */
  missing?: TreatMissingData;
  /** How many of the last periods must reach the threshold: the last one unless given. */
  periods?: { bad: number; of: number };
  /** The event, in a sentence. */
  summary: string;
  runbook: RunbookSection;
}

/**
 * An alarm that says what has happened and which section of the runbook to read.
 *
 * Its id is also its name, after the name of the API's stack, in nested stacks too. An alarm that moves in the template therefore gets a new name with its
 * new logical id, and CloudFormation never has to create a name that still exists.
 */
export class ServiceAlarm extends Alarm {
  constructor(
    scope: Construct,
    id: string,
    {
      metric,
      threshold,
      comparison = ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      missing = TreatMissingData.NOT_BREACHING,
      periods = { bad: 1, of: 1 },
      summary,
      runbook,
      topic,
      runbookUrl,
    }: AlarmRule & AlarmTarget,
  ) {
    const stack = Stack.of(scope);
    super(scope, id, {
      alarmName: `${(stack.nestedStackParent ?? stack).stackName}-${id}`,
      metric,
      threshold,
      comparisonOperator: comparison,
      evaluationPeriods: periods.of,
      datapointsToAlarm: periods.bad,
      treatMissingData: missing,
      alarmDescription: `${summary} What to do: ${runbookUrl}#${anchorOf(runbook)}`,
    });
    const action = new SnsAction(topic);
    this.addAlarmAction(action);
    this.addOkAction(action);
  }
}

/** The sections of docs/runbook.md that alarms refer to. */
export type RunbookSection =
  | "Server errors"
  | "Slow responses"
  | "Too many requests"
  | "A token has leaked"
  | "The database fails or throttles"
  | "A function fails"
  | "A function is throttled"
  | "The use of tokens is not counted"
  | "Notices are not sent";
