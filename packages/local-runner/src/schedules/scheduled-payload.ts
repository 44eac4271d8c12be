import { randomUUID } from "node:crypto";
import type { Schedule } from "../assembly/schedules.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";

/** What the function of a schedule gets: the schedule's input with Scheduler's keywords replaced, or Scheduler's own event. */
export const scheduledPayload = (
  { arn, input }: Pick<Schedule, "arn" | "input">,
  due: number,
  { accountId, region }: AwsEnvironment,
): string => {
  const time = `${new Date(due).toISOString().slice(0, 19)}Z`;
  const executionId = randomUUID();
  // Documented, except that `detail` is text, which is observed.
  const event = {
    version: "0",
    id: executionId,
    "detail-type": "Scheduled Event",
    source: "aws.scheduler",
    account: accountId,
    time,
    region,
    resources: [arn],
    detail: "{}",
  };
  return (input ?? JSON.stringify(event))
    .replaceAll("<aws.scheduler.schedule-arn>", arn)
    .replaceAll("<aws.scheduler.scheduled-time>", time)
    .replaceAll("<aws.scheduler.execution-id>", executionId)
    .replaceAll("<aws.scheduler.attempt-number>", "1");
};
