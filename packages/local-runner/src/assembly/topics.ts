import * as z from "../support/zod.ts";
import { ofType, readProperties, refusal, type StackResource } from "./stack-resources.ts";

/** A topic that functions can publish to. */
export interface Topic {
  arn: string;
  name: string;
  /** Who would get its messages, such as `email ops@example.com`. */
  subscribers: string[];
}

const topicSchema = z.strictObject({
  Subscription: z._default(z.array(z.strictObject({ Endpoint: z.string(), Protocol: z.string() })), []),
});

// Subscribers that run locally would have to get the messages.
const runningProtocols = ["lambda", "sqs", "firehose"];

const subscriptionSchema = z.strictObject({
  TopicArn: z.string(),
  Protocol: z
    .string()
    .check(
      z.refine((protocol) => !runningProtocols.includes(protocol), "no messages are delivered to functions or queues"),
    ),
  Endpoint: z.string(),
});

const policySchema = z.strictObject({
  Topics: z.array(z.string()),
  PolicyDocument: z.object({ Statement: z.array(z.record(z.string(), z.unknown())) }),
});

// Requests do not leave this machine, so they need no TLS.
const onlyWithTls = JSON.stringify({ Bool: { "aws:SecureTransport": "false" } });

/** Reads the topics. What a policy of a topic allows makes no difference, because the rights of functions are enough. */
export const readTopics = (resources: StackResource[]): Topic[] => {
  for (const policy of ofType(resources, "AWS::SNS::TopicPolicy")) {
    const { Statement } = readProperties(policy, policySchema).PolicyDocument;
    const isUnknown = Statement.some(
      ({ Effect, Condition }) => Effect !== "Allow" && JSON.stringify(Condition) !== onlyWithTls,
    );
    if (isUnknown) throw refusal(policy, "a topic's policy may deny only requests without TLS");
  }
  const subscriptions = ofType(resources, "AWS::SNS::Subscription").map((resource) =>
    readProperties(resource, subscriptionSchema),
  );
  return ofType(resources, "AWS::SNS::Topic").map((resource) => {
    const { ref: arn, attributes } = resource.identity;
    const own = readProperties(resource, topicSchema).Subscription;
    const others = subscriptions.filter(({ TopicArn }) => TopicArn === arn);
    const subscribers = [...own, ...others].map(({ Protocol, Endpoint }) => `${Protocol} ${Endpoint}`);
    return { arn, name: attributes.TopicName ?? arn, subscribers };
  });
};

/** Reads the names of the event buses. Each account has one that is called `default`. */
export const readBuses = (resources: StackResource[]): string[] => {
  const buses = ofType(resources, "AWS::Events::EventBus");
  for (const bus of buses) readProperties(bus, z.strictObject({}));
  return ["default", ...buses.map(({ identity }) => identity.ref)];
};
