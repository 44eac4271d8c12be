import { Duration } from "aws-cdk-lib";
import { Queue } from "aws-cdk-lib/aws-sqs";
import type { ServiceApp } from "integration-api/infra";
import type { api } from "../service.ts";

/** Adds the queue from which the warehouse's system takes the shipments to hand over. */
export const addPickups = ({ stacks, functions }: ServiceApp<typeof api>): void => {
  const pickups = new Queue(stacks.data, "Pickups", { retentionPeriod: Duration.days(14) });
  pickups.grantSendMessages(functions.v1.requestPickup);
  functions.v1.requestPickup.set("pickups_url", pickups.queueUrl);
};
