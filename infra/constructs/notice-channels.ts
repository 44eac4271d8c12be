import { Aws, CfnOutput, RemovalPolicy } from "aws-cdk-lib";
import { EventBus } from "aws-cdk-lib/aws-events";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { ServiceNames } from "../../lambdas/declaration/service.ts";
import { busVariable, eventSource, topicVariable } from "../../lambdas/notices/notice-event.ts";
import { domainVariable } from "../../lambdas/shared/aws/connect-to-service.ts";
import type { Stage } from "../stages/stage.ts";
import { fixLogicalId, nameSuffix } from "./lasting-resources.ts";
import { explain } from "./rule-packs.ts";

interface NoticeChannelsProps {
  service: ServiceNames;
  stage: Stage;
  encryptionKey: IKey | undefined;
  /** Receives the notices by email, once the owner of the address has confirmed the subscription. */
  email: string | undefined;
}

/**
 * The channels for notices: a topic for people, and an event bus from which operators route notices to their own tools.
 *
 * Operators attach rules and subscriptions to both. Therefore both belong to the data stack, which is not rolled back to earlier
 * releases, and they are retained like data.
 */
export class NoticeChannels extends Construct {
  private readonly topic: Topic;
  private readonly bus: EventBus;

  constructor(scope: Construct, id: string, { service, stage, encryptionKey, email }: NoticeChannelsProps) {
    super(scope, id);
    this.topic = new Topic(this, "Topic", {
      displayName: `${service.title} notices`,
      enforceSSL: true,
      ...(encryptionKey && { masterKey: encryptionKey }),
    });
    if (email !== undefined) {
      explain(this.topic.addSubscription(new EmailSubscription(email)), {
        "Serverless-SNSRedrivePolicy": "The web interface still shows what a lost mail was about.",
      });
    }
    this.bus = new EventBus(this, "Bus", {
      // AWS does not generate the names of buses. A retained bus and the bus of a new stack must not have the same name.
      eventBusName: `${service.name}-${stage.name}-${nameSuffix}`,
      description: `Notices of the ${service.title}: see docs/notices.md.`,
    });
    for (const [logicalId, kept] of Object.entries({ NoticeTopic: this.topic, NoticeBus: this.bus })) {
      if (stage.keepsData) kept.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
      fixLogicalId(kept, logicalId);
    }

    new CfnOutput(scope, "NoticeTopicArn", {
      value: this.topic.topicArn,
      description: "The topic that notices are sent to.",
    });
    new CfnOutput(scope, "NoticeBusName", {
      value: this.bus.eventBusName,
      description: "The event bus that notices are sent to.",
    });
  }

  /** Returns the environment variables of functions that send notices. */
  variables(): Record<string, string> {
    return {
      [topicVariable]: this.topic.topicArn,
      [busVariable]: this.bus.eventBusName,
      [domainVariable]: Aws.URL_SUFFIX,
    };
  }

  /** Allows a function to send notices. The key's own policy lets notices through the topic. */
  grantSend(lambda: LambdaFunction): void {
    for (const statement of [
      new PolicyStatement({ actions: ["sns:Publish"], resources: [this.topic.topicArn] }),
      new PolicyStatement({
        actions: ["events:PutEvents"],
        resources: [this.bus.eventBusArn],
        conditions: { StringEquals: { "events:source": eventSource } },
      }),
    ]) {
      lambda.addToRolePolicy(statement);
    }
  }
}
