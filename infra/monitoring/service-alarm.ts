import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";

/** The sections of docs/runbook.md that alarms refer to. */
export type RunbookSection =
  | "Server errors"
  | "Slow answers"
  | "Too many requests"
  | "A token has leaked"
  | "The database fails or throttles"
  | "A function fails"
  | "A function is throttled"
  | "The use of tokens is not counted";

interface ServiceAlarmProps {
  metric: IMetric;
  /** Fires at this value. */
  threshold: number;
  /** How many of the last periods must reach the threshold: the last one unless given. */
  periods?: { bad: number; of: number };
  /** What has happened, in a sentence. */
  tells: string;
  runbook: RunbookSection;
  topic: ITopic;
}

/** An alarm that says what has happened and which section of the runbook to read. Missing data is good news. */
export class ServiceAlarm extends Alarm {
  constructor(
    scope: Construct,
    id: string,
    { metric, threshold, periods = { bad: 1, of: 1 }, tells, runbook, topic }: ServiceAlarmProps,
  ) {
    super(scope, id, {
      metric,
      threshold,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: periods.of,
      datapointsToAlarm: periods.bad,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      alarmDescription: `${tells} What to do: docs/runbook.md, "${runbook}".`,
    });
    const tell = new SnsAction(topic);
    this.addAlarmAction(tell);
    this.addOkAction(tell);
  }
}
