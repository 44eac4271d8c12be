import { LocalError, messageOf } from "../local-error.ts";
import { type LineFilter, readFilterPattern } from "../logs/filter-pattern.ts";
import * as z from "../zod.ts";
import { readDeliveryPermissions } from "./permissions.ts";
import { readProperties, type StackResource } from "./stack-resources.ts";

/** A function that is invoked with the lines of a log that a filter lets through. */
export interface LogSubscription {
  readonly name: string;
  readonly logGroup: string;
  readonly matches: LineFilter;
  /** The ARN that the lines go to: an alias's, for one. */
  readonly destination: string;
}

const subscriptionSchema = z.strictObject({
  DestinationArn: z.string(),
  FilterPattern: z.string(),
  LogGroupName: z.string(),
});

const harmless = { FilterName: "a text for people" };

/** Reads the subscription filters of all stacks. One whose log may not invoke its function would not be deployed. */
export function readLogSubscriptions(resources: readonly StackResource[]): LogSubscription[] {
  const mayDeliver = readDeliveryPermissions(resources);
  const logs = new Map(
    resources
      .filter(({ type }) => type === "AWS::Logs::LogGroup")
      .map(({ identity: { ref, attributes } }) => [ref, attributes.Arn ?? ref]),
  );
  return resources
    .filter(({ type }) => type === "AWS::Logs::SubscriptionFilter")
    .map((resource) => {
      const { DestinationArn, FilterPattern, LogGroupName } = readProperties(resource, subscriptionSchema, harmless);
      const { logicalId, stackName } = resource;
      if (!mayDeliver(logs.get(LogGroupName) ?? LogGroupName, DestinationArn)) {
        throw new LocalError(
          `${logicalId} of stack ${stackName} cannot run: no AWS::Lambda::Permission lets logs.amazonaws.com invoke ` +
            `${DestinationArn} for ${LogGroupName}.`,
        );
      }
      const matches = unless(`${logicalId} of stack ${stackName} cannot run locally`, () =>
        readFilterPattern(FilterPattern),
      );
      return { name: resource.identity.ref, logGroup: LogGroupName, matches, destination: DestinationArn };
    });
}

/** What is read, or an error that says where it stands. */
function unless<Value>(problem: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new LocalError(`${problem}: ${messageOf(error)}`, { cause: error });
  }
}
