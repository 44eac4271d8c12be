import { Aws, CfnOutput } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import { type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import { domainVariable } from "../../../lambdas/aws/connect-to-service.ts";
import { baseUrlVariable, busVariable, eventSource, topicVariable } from "../../../lambdas/functions/notices/names.ts";
import { explain } from "../rule-packs.ts";

interface NoticeChannelsProps {
  baseUrl: string;
  encryptionKey: IKey | undefined;
  /** Receives the notices by mail, once its owner has confirmed the subscription. */
  email: string | undefined;
}

/** Where notices are sent: a topic for people, and an event bus from which operators route them to their own tools. */
export class NoticeChannels extends Construct {
  /** What functions that send notices have to know. */
  readonly variables: Record<string, string>;
  private readonly topic: Topic;
  private readonly bus: EventBus;
  private readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, { baseUrl, encryptionKey, email }: NoticeChannelsProps) {
    super(scope, id);
    this.encryptionKey = encryptionKey;
    this.topic = new Topic(this, "Topic", {
      displayName: "Integration API notices",
      enforceSSL: true,
      ...(encryptionKey && { masterKey: encryptionKey }),
    });
    if (email !== undefined) {
      explain(this.topic.addSubscription(new EmailSubscription(email)), {
        "Serverless-SNSRedrivePolicy": "The web interface still shows what a lost mail was about.",
      });
    }
    this.bus = new EventBus(this, "Bus", { description: "Notices of the Integration API: see docs/notices.md." });
    this.variables = {
      [topicVariable]: this.topic.topicArn,
      [busVariable]: this.bus.eventBusName,
      [baseUrlVariable]: baseUrl,
      [domainVariable]: Aws.URL_SUFFIX,
    };
    new CfnOutput(scope, "NoticeTopicArn", {
      value: this.topic.topicArn,
      description: "The topic that notices are sent to.",
    });
    new CfnOutput(scope, "NoticeBusName", {
      value: this.bus.eventBusName,
      description: "The event bus that notices are sent to.",
    });
  }

  /** Allows a function to send notices, and nothing else. */
  grantSend({ grantPrincipal }: IGrantable): void {
    const statements = [
      new PolicyStatement({ actions: ["sns:Publish"], resources: [this.topic.topicArn] }),
      new PolicyStatement({
        actions: ["events:PutEvents"],
        resources: [this.bus.eventBusArn],
        conditions: { StringEquals: { "events:source": eventSource } },
      }),
      ...(this.encryptionKey
        ? [
            new PolicyStatement({
              actions: ["kms:Decrypt", "kms:GenerateDataKey"],
              resources: [this.encryptionKey.keyArn],
              conditions: { StringEquals: { "kms:ViaService": `sns.${Aws.REGION}.${Aws.URL_SUFFIX}` } },
            }),
          ]
        : []),
    ];
    for (const statement of statements) grantPrincipal.addToPrincipalPolicy(statement);
  }
}
