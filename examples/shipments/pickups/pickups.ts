import { Duration } from "aws-cdk-lib";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { ServiceApp } from "integration-api/infra";
import type { api } from "../service.ts";

/** Adds the queue from which the warehouse's system takes the shipments to hand over, and the queue in which it confirms them. */
export const addPickups = ({ stacks, functions, jobs }: ServiceApp<typeof api>): void => {
  const pickups = new Queue(stacks.data, "Pickups", { retentionPeriod: Duration.days(14) });
  pickups.grantSendMessages(functions.v1.requestPickup);
  functions.v1.requestPickup.set("pickups_url", pickups.queueUrl);

  const failed = new Queue(stacks.data, "FailedHandovers", { retentionPeriod: Duration.days(14) });
  const handovers = new Queue(stacks.data, "Handovers", { deadLetterQueue: { queue: failed, maxReceiveCount: 5 } });
  jobs.confirmPickup.alias.addEventSource(new SqsEventSource(handovers, { batchSize: 1 }));
};
