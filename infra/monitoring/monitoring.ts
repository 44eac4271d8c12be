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
import { ServiceDashboard, type WatchedFunctions } from "./dashboard.ts";
import { FunctionAlarms } from "./function-alarms.ts";
import { LogMetrics } from "./log-metrics.ts";
import { SavedQueries } from "./queries.ts";
import { type AlarmTarget, ServiceAlarm } from "./service-alarm.ts";
import { ServiceAlarms } from "./service-alarms.ts";
import { TableAlarms } from "./table-alarms.ts";

interface MonitoringProps {
  service: ServiceNames;
  httpApi: HttpApi;
  tables: readonly ServiceTable[];
  logs: ServiceLogs;
  encryptionKey: IKey | undefined;
  options: Options;
}

/** The monitoring for operators: metrics, alarms, saved queries and, if the stage has full monitoring, a dashboard. */
export class Monitoring extends Construct {
  readonly #metrics: LogMetrics;
  readonly #target: AlarmTarget;
  readonly #shown: Pick<MonitoringProps, "httpApi" | "tables" | "logs"> | undefined;

  constructor(scope: Construct, id: string, { service, encryptionKey, options, ...shown }: MonitoringProps) {
    super(scope, id);
    const { httpApi, tables, logs } = shown;
    const { name: stage, monitoring } = options.stage;
    const metrics = new LogMetrics(this, "Metrics", { logs, namespace: `${service.name}/${stage}` });
    const topic = new AlarmTopic(this, "Topic", { title: service.title, encryptionKey, email: options.alarmEmail });
    this.#metrics = metrics;
    this.#target = { topic, runbook: options.runbookUrl ?? "docs/runbook.md" };
    this.#shown = monitoring === "full" ? shown : undefined;
    new ServiceAlarms(this, "Alarms", { httpApi, metrics, ...this.#target });
    if (monitoring === "full") new TableAlarms(this, "Tables", { tables, ...this.#target });
    new SavedQueries(this, "Queries", { logs, prefix: `${service.name}-${stage}` });
    new CfnOutput(scope, "AlarmTopicArn", { value: topic.topicArn, description: "The topic that alarms are sent to." });
  }

  /** Adds the alarms of functions, below a construct of their stack. */
  watch(scope: Construct, { title, functions }: { title: string; functions: LiveFunction[] }): WatchedFunctions {
    const monitored = functions.map((live): MonitoredFunction => {
      const { failing } = new FunctionAlarms(scope, live.name, {
        function: live,
        metrics: this.#metrics,
        ...this.#target,
      });
      return { ...live, failureAlarm: failing };
    });
    const alarms = scope.node.findAll().filter((construct) => construct instanceof ServiceAlarm);
    return { title, functions: monitored, alarms };
  }

  /** Adds a dashboard of all watched functions if the stage has one. The functions of the API's stack come first. */
  addDashboard(...watched: [own: WatchedFunctions, ...resources: WatchedFunctions[]]): void {
    if (this.#shown) new ServiceDashboard(this, "Dashboard", { ...this.#shown, metrics: this.#metrics, watched });
  }
}

interface AlarmTopicProps {
  /** The title of the service. */
  title: string;
  encryptionKey: IKey | undefined;
  /** Receives an email for each message, once the owner of the address has confirmed the subscription. */
  email: string | undefined;
}

/**
 * The topic that alarms are sent to. Its policy is explicit, because any policy replaces the default policy that allows CloudWatch
 * to publish.
 */
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
      "Serverless-SNSRedrivePolicy": "CloudWatch still shows an alarm whose mail is lost.",
    });
  }
}
