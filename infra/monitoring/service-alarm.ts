import { Stack } from "aws-cdk-lib";
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { anchorOf } from "../../lambdas/shared/addresses.ts";

/** Where alarms are sent, and the instructions for their readers. */
export interface AlarmTarget {
  topic: ITopic;
  /** The address of the runbook. The alarm appends a section to it. */
  runbook: string;
}

/** When an alarm fires, and what its readers are told. */
export interface AlarmRule {
  metric: IMetric;
  /** The alarm fires at this value or above, unless `comparison` says otherwise. */
  threshold: number;
  comparison?: ComparisonOperator;
  /** How to treat missing data. Default: not breaching. */
  missing?: TreatMissingData;
  /** How many of the last periods must reach the threshold. Default: the last one. */
  periods?: { bad: number; of: number };
  /** Describes the event in one sentence. */
  summary: string;
  section: RunbookSection;
}

/**
 * The sections of docs/runbook.md that alarms refer to, each with its first step. Alarms include the first step, because an outage
 * may also affect the page that the reader would look it up on.
 */
const firstSteps = {
  "Server errors":
    "If anything was deployed in the last hour, roll it back. Otherwise run the saved query What failed and why.",
  "Slow responses": "Run the saved query Calls by endpoint and status, and check the AWS Health dashboard.",
  "Too many requests":
    "Run the saved query Tokens with the most calls, and limit the busiest token or talk to its owner.",
  "A token has leaked":
    "List the leaks with the admin action leaks, and revoke the token unless its owner knows the address.",
  "The database fails or throttles": "Check the AWS Health dashboard for DynamoDB. Clients repeat their calls.",
  "A record cannot be read": "Run the saved query Unreadable records, and correct or delete the record.",
  "A function fails":
    "If a deployment is running, see its events in CloudFormation. Otherwise run the saved query What failed and why.",
  "A function is throttled": "Request a higher limit of concurrent Lambda executions for the account.",
  "The use of tokens is not counted": "Run the saved query What failed and why. Calls of clients are not affected.",
  "Notices are not sent": "Read the log of the notices function, and run it again. Calls of clients are not affected.",
} as const;

export type RunbookSection = keyof typeof firstSteps;

/**
 * An alarm that says what has happened, what to do first and which section of the runbook to read.
 *
 * The alarm's name consists of the name of the API's stack and the alarm's id, in nested stacks too. If an alarm moves within the
 * template, its name and its logical id change together, so CloudFormation never has to create a name that still exists.
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
      section,
      topic,
      runbook,
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
      alarmDescription: `${summary} ${firstSteps[section]} More: ${runbook}#${anchorOf(section)}`,
    });
    const action = new SnsAction(topic);
    this.addAlarmAction(action);
    this.addOkAction(action);
  }
}
