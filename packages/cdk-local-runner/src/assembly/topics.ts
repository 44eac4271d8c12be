import * as z from "../support/zod.ts";
import { type DeployedStacks, refusal, resourceType } from "./stack-resources.ts";

/** A topic that functions can publish to. */
export interface Topic {
  arn: string;
  name: string;
  /** The subscribers that would receive its messages, such as `email ops@example.com`. */
  subscribers: string[];
}

const topicType = resourceType({
  type: "AWS::SNS::Topic",
  nameProperty: "TopicName",
  ref: ({ name, arn }) => arn("sns", name),
  attributes: ({ name, arn }) => ({ TopicArn: arn("sns", name), TopicName: name }),
  ignored: {
    "what is sent is shown, and delivered to nobody": "DisplayName",
    "nothing is encrypted locally": "KmsMasterKeyId",
    "it is the topic's name already": "TopicName",
  },
  schema: z.strictObject({
    Subscription: z._default(z.array(z.strictObject({ Endpoint: z.string(), Protocol: z.string() })), []),
  }),
});

// Subscribers that could run locally would have to receive the messages.
const runningProtocol = /^(lambda|sqs|firehose)$/;
const notDelivered = "no messages are delivered to functions or queues";

const subscriptionType = resourceType({
  type: "AWS::SNS::Subscription",
  schema: z.strictObject({
    TopicArn: z.string(),
    Protocol: z.string().check(z.refine((protocol) => !runningProtocol.test(protocol), notDelivered)),
    Endpoint: z.string(),
  }),
});

const policyType = resourceType({
  type: "AWS::SNS::TopicPolicy",
  schema: z.strictObject({
    Topics: z.array(z.string()),
    PolicyDocument: z.object({ Statement: z.array(z.record(z.string(), z.unknown())) }),
  }),
});

const busType = resourceType({
  type: "AWS::Events::EventBus",
  nameProperty: "Name",
  attributes: ({ name, arn }) => ({ Arn: arn("events", `event-bus/${name}`), Name: name }),
  ignored: { "it is the bus's name already": "Name" },
  schema: z.strictObject({}),
});

// Nothing is encrypted locally, but resources that run refer to their key.
const keyType = resourceType({
  type: "AWS::KMS::Key",
  attributes: ({ logicalId, arn }) => ({ Arn: arn("kms", `key/${logicalId}`), KeyId: logicalId }),
  schema: z.unknown(),
});

export const topicTypes = [topicType, subscriptionType, policyType, busType, keyType];

// Requests stay on this machine, so they don't need TLS.
const onlyWithTls = JSON.stringify({ Bool: { "aws:SecureTransport": "false" } });

/** Reads the topics. Topic policies don't matter, because the functions' rights are enough. */
export const readTopics = ({ read, readEach }: DeployedStacks): Topic[] => {
  readEach(policyType, ({ resource, properties }) => {
    const isKnown = properties.PolicyDocument.Statement.every(
      ({ Effect, Condition }) => Effect === "Allow" || JSON.stringify(Condition) === onlyWithTls,
    );
    if (!isKnown) throw refusal(resource, "a topic's policy may deny only requests without TLS");
  });
  const subscriptions = read(subscriptionType).map(({ properties }) => properties);
  return read(topicType).map(({ resource: { ref: arn, attributes }, properties }) => {
    const others = subscriptions.filter(({ TopicArn }) => TopicArn === arn);
    const subscribers = [...properties.Subscription, ...others].map(
      ({ Protocol, Endpoint }) => `${Protocol} ${Endpoint}`,
    );
    return { arn, name: attributes.TopicName ?? arn, subscribers };
  });
};

/** Reads the names of the event buses. Every account has one called `default`. */
export const readBuses = ({ read }: DeployedStacks): string[] => [
  "default",
  ...read(busType).map(({ resource }) => resource.ref),
];
