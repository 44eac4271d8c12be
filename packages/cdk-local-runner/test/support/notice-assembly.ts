import { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Alias, type IFunction, type IVersion } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { addFunction, synthesise } from "./synthesise.ts";

/** Sends what its event specifies. By default, it sends the time to both, or fails if `FAILS` is set. */
const code = `
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
export const noticeAssembly = (directory: string, variables: Record<string, string> = {}): string =>
  synthesise(directory, (stack) => {
    const topic = new Topic(stack, "topic", { topicName: "Notices", displayName: "Notices", enforceSSL: true });
    topic.addSubscription(new EmailSubscription("ops@example.com"));
    const bus = new EventBus(stack, "bus", { eventBusName: "notices" });
    const environment = { TOPIC: topic.topicArn, BUS: bus.eventBusName, ...variables };
    const daily = addFunction(stack, "daily", code, { environment });
    addFunction(stack, "other", code, { environment });
    topic.grantPublish(daily);
    const conditions = { StringEquals: { "events:source": "app" } };
    const mayPut = { actions: ["events:PutEvents"], resources: [bus.eventBusArn], conditions };
    daily.addToRolePolicy(new PolicyStatement(mayPut));
    const live = new Alias(stack, "live", { aliasName: "live", version: daily.currentVersion as IVersion });
    const schedule = ScheduleExpression.cron({ minute: "0", hour: "6" });
    new Schedule(stack, "schedule", { scheduleName: "Daily", schedule, target: new LambdaInvoke(live as IFunction) });
  });
