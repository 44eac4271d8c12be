import { aliasOf, functionResources, type Resources, writeAssembly } from "./assemblies.ts";

const topicArn = { Ref: "Notices" };
const busArn = { "Fn::GetAtt": ["Bus", "Arn"] };

/** The permissions of the function `daily`. */
export const sendingRights = [
  { Effect: "Allow", Action: "sns:Publish", Resource: topicArn },
  {
    Effect: "Allow",
    Action: "events:PutEvents",
    Resource: busArn,
    Condition: { StringEquals: { "events:source": "app" } },
  },
];

/** Returns a schedule and its role, as the CDK's `LambdaInvoke` writes them. */
export const scheduleResources = ({
  expression = "cron(0 6 * * ? *)",
  properties = {},
  target = {},
} = {}): Resources => ({
  Daily: {
    Type: "AWS::Scheduler::Schedule",
    Properties: {
      FlexibleTimeWindow: { Mode: "OFF" },
      ScheduleExpression: expression,
      ScheduleExpressionTimezone: "Etc/UTC",
      State: "ENABLED",
      Target: {
        Arn: { Ref: "dailyLive" },
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        RoleArn: { "Fn::GetAtt": ["SchedulerRole", "Arn"] },
        ...target,
      },
      ...properties,
    },
  },
  SchedulerRole: {
    Type: "AWS::IAM::Role",
    Properties: {
      AssumeRolePolicyDocument: {
        Statement: [{ Action: "sts:AssumeRole", Effect: "Allow", Principal: { Service: "scheduler.amazonaws.com" } }],
      },
      Policies: [
        {
          PolicyName: "invoke",
          PolicyDocument: {
            Statement: [{ Action: "lambda:InvokeFunction", Effect: "Allow", Resource: { Ref: "dailyLive" } }],
          },
        },
      ],
    },
  },
});

/** A topic with a subscriber and a policy, and an event bus, as the CDK writes them. */
export const messageResources: Resources = {
  Notices: { Type: "AWS::SNS::Topic", Properties: { DisplayName: "Notices" } },
  NoticesMail: {
    Type: "AWS::SNS::Subscription",
    Properties: { TopicArn: topicArn, Protocol: "email", Endpoint: "ops@example.com" },
  },
  NoticesPolicy: {
    Type: "AWS::SNS::TopicPolicy",
    Properties: {
      Topics: [topicArn],
      PolicyDocument: {
        Statement: [
          {
            Sid: "AllowPublishThroughSSLOnly",
            Effect: "Deny",
            Principal: "*",
            Action: "sns:Publish",
            Resource: topicArn,
            Condition: { Bool: { "aws:SecureTransport": "false" } },
          },
        ],
      },
    },
  },
  Bus: { Type: "AWS::Events::EventBus", Properties: { Name: "notices" } },
};

/** Sends what its event specifies. By default, it sends the time to both, or fails if `FAILS` is set. */
const dailyCode = `
const { SNSClient, PublishCommand } = require("@aws-sdk/client-sns");
const { EventBridgeClient, PutEventsCommand } = require("@aws-sdk/client-eventbridge");
const sns = new SNSClient({ maxAttempts: 1 });
const events = new EventBridgeClient({ maxAttempts: 1 });
const responseTo = (call) => call.then(
  ({ $metadata, ...answer }) => answer,
  (error) => ({ error: error.name, message: error.message }),
);
exports.handler = async (event) => {
  if (event.publish) return responseTo(sns.send(new PublishCommand({ TopicArn: process.env.TOPIC, ...event.publish })));
  if (event.entries) return responseTo(events.send(new PutEventsCommand({ Entries: event.entries })));
  if (event.ask) return { now: Date.now(), date: new Date().getTime(), text: new Date(Date()).getTime() };
  if (process.env.FAILS) throw new Error("not yet");
  const now = new Date().toISOString();
  await sns.send(new PublishCommand({ TopicArn: process.env.TOPIC, Subject: "Daily", Message: "It is\\n" + now }));
  const Detail = JSON.stringify({ now, due: event.time, by: event.source });
  await events.send(new PutEventsCommand({ Entries: [{ Source: "app", DetailType: "daily", Detail, EventBusName: process.env.BUS }] }));
};`;

/** Writes an app whose function `daily` runs once a day and may send, and whose function `other` may not send. */
export const noticeAssembly = (
  directory: string,
  { schedule = scheduleResources(), environment = {} }: { schedule?: Resources; environment?: object } = {},
): Promise<string> => {
  const Environment = { Variables: { TOPIC: topicArn, BUS: { Ref: "Bus" }, ...environment } };
  return writeAssembly(directory, {
    resources: {
      ...functionResources("daily", { properties: { Environment }, statements: sendingRights }),
      ...functionResources("other", { properties: { Environment } }),
      ...aliasOf("daily"),
      ...schedule,
      ...messageResources,
    },
    code: { daily: { "index.js": dailyCode }, other: { "index.js": dailyCode } },
  });
};
