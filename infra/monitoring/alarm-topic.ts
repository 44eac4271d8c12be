import { Aws } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import { explain } from "../constructs/rule-packs.ts";

interface AlarmTopicProps {
  encryptionKey: IKey | undefined;
  /** Receives a mail for each message, once its owner has confirmed the subscription. */
  email: string | undefined;
}

/** Where alarms are sent. Its policy is explicit, because any policy replaces the default that allows CloudWatch to publish. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { encryptionKey, email }: AlarmTopicProps) {
    super(scope, id, {
      displayName: "Integration API alarms",
      enforceSSL: true,
      ...(encryptionKey && { masterKey: encryptionKey }),
    });
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
        actions: ["sns:Publish"],
        resources: [this.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": Aws.ACCOUNT_ID } },
      }),
    );
    if (email === undefined) return;
    explain(this.addSubscription(new EmailSubscription(email)), {
      "Serverless-SNSRedrivePolicy": "The dashboard still shows an alarm whose mail is lost.",
    });
  }
}
