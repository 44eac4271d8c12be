import { LocalError, messageOf } from "../support/local-error.ts";
import * as z from "../support/zod.ts";
import { type LineFilter, readFilterPattern } from "./filter-pattern.ts";
import { readDeliveryPermissions } from "./permissions.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

/** A function that gets the lines of a log that a filter lets through. */
export interface LogSubscription {
  name: string;
  logGroup: string;
  matches: LineFilter;
  /** The ARN of the function, or of an alias of it, that gets the lines. */
  destination: string;
}

const subscriptionSchema = z.strictObject({
  DestinationArn: z.string(),
  FilterPattern: z.string(),
  LogGroupName: z.string(),
});

/** Reads the subscription filters. CloudFormation refuses one whose log may not invoke its function, and so does this. */
export const readLogSubscriptions = (resources: StackResource[]): LogSubscription[] => {
  const mayDeliver = readDeliveryPermissions(resources);
  const logs = new Map(
    resources
      .filter(({ type }) => type === "AWS::Logs::LogGroup")
      .map(({ identity: { ref, attributes } }) => [ref, attributes.Arn ?? ref]),
  );
  return resources
    .filter(({ type }) => type === "AWS::Logs::SubscriptionFilter")
    .map((resource) => {
      const { DestinationArn, FilterPattern, LogGroupName } = readProperties(resource, subscriptionSchema);
      const { logicalId, stackName } = resource;
      if (!mayDeliver(logs.get(LogGroupName) ?? LogGroupName, DestinationArn)) {
        throw new LocalError(
          `${logicalId} of stack ${stackName} cannot run: no AWS::Lambda::Permission lets logs.amazonaws.com invoke ` +
            `${DestinationArn} for ${LogGroupName}.`,
        );
      }
      const matches = readAt(`${logicalId} of stack ${stackName} cannot run locally`, () =>
        readFilterPattern(FilterPattern),
      );
      return { name: resource.identity.ref, logGroup: LogGroupName, matches, destination: DestinationArn };
    });
};

/** Returns what is read, or throws an error that says where the problem is. */
const readAt = <Value>(problem: string, read: () => Value): Value => {
  try {
    return read();
  } catch (error) {
    throw new LocalError(`${problem}: ${messageOf(error)}`, { cause: error });
  }
};
