import { Aws, CfnOutput } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { ServiceNames } from "../../lambdas/declaration/service.ts";
import { explain } from "../constructs/rule-packs.ts";
import type { LiveFunction } from "../constructs/service-function.ts";
import type { ServiceLogs } from "../constructs/service-logs.ts";
import type { ServiceTable } from "../constructs/service-tables.ts";
import type { MonitoredFunction } from "../constructs/traffic-shift.ts";
import type { Options } from "../stages/options.ts";
import { ServiceDashboard } from "./dashboard.ts";
import { FunctionAlarms } from "./function-alarms.ts";
import { LogMetrics } from "./log-metrics.ts";
import { SavedQueries } from "./queries.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { ServiceAlarms } from "./service-alarms.ts";

interface MonitoringProps {
  service: ServiceNames;
  functions: LiveFunction[];
  httpApi: HttpApi;
  tables: readonly ServiceTable[];
  logs: ServiceLogs;
  encryptionKey: IKey | undefined;
  /** The address of the runbook. */
  runbookUrl: string;
  options: Options;
}

/** How operators see the service: metrics, alarms, a dashboard and saved queries. */
export class Monitoring extends Construct {
  /** The functions with the alarms that roll a new version back. */
  readonly monitored: MonitoredFunction[];

  constructor(
    scope: Construct,
    id: string,
    { service, encryptionKey, runbookUrl, options, ...watched }: MonitoringProps,
  ) {
    super(scope, id);
    const { functions, logs } = watched;
    const stage = options.stage.name;
    const metrics = new LogMetrics(this, "Metrics", { logs, namespace: `${service.name}/${stage}` });
    const topic = new AlarmTopic(this, "Topic", { title: service.title, encryptionKey, email: options.alarmEmail });
    const target = { topic, runbookUrl };
    new ServiceAlarms(this, "Alarms", { ...watched, metrics, ...target });
    this.monitored = functions.map((live) => {
      const { failing } = new FunctionAlarms(this, live.name, { function: live, metrics, ...target });
      return { ...live, failureAlarm: failing };
    });
    const alarms = this.node.findAll().filter((construct) => construct instanceof ServiceAlarm);
    new ServiceDashboard(this, "Dashboard", { ...watched, metrics, alarms });
    new SavedQueries(this, "Queries", { logs, prefix: `${service.name}-${stage}` });
    new CfnOutput(scope, "AlarmTopicArn", { value: topic.topicArn, description: "The topic that alarms are sent to." });
  }
}

interface AlarmTopicProps {
  /** The title of the service. */
  title: string;
  encryptionKey: IKey | undefined;
  /** Receives a mail for each message, once its owner has confirmed the subscription. */
  email: string | undefined;
}

/** Where alarms are sent. Its policy is explicit, because any policy replaces the default that allows CloudWatch to publish. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { title, encryptionKey, email }: AlarmTopicProps) {
    super(scope, id, {
      displayName: `${title} alarms`,
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
