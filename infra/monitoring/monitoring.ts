import { CfnOutput } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import type { Tables } from "../constructs/service-function.ts";
import type { ServiceLogs } from "../constructs/service-logs.ts";
import type { Options } from "../stages/options.ts";
import { AlarmTopic } from "./alarm-topic.ts";
import { ServiceDashboard } from "./dashboard.ts";
import { FunctionAlarms, type LiveFunction } from "./function-alarms.ts";
import { LogMetrics } from "./log-metrics.ts";
import { SavedQueries } from "./queries.ts";
import { ServiceAlarm } from "./service-alarm.ts";
import { ServiceAlarms } from "./service-alarms.ts";

interface MonitoringProps {
  functions: LiveFunction[];
  httpApi: HttpApi;
  tables: Tables;
  logs: ServiceLogs;
  encryptionKey: IKey | undefined;
  options: Options;
}

/** How operators see the service: metrics, alarms, a dashboard, and questions to the logs. */
export class Monitoring extends Construct {
  /** The alarm that takes a new version back, by the name of its function. */
  readonly failing: ReadonlyMap<string, ServiceAlarm>;

  constructor(scope: Construct, id: string, { encryptionKey, options, ...watched }: MonitoringProps) {
    super(scope, id);
    const { functions, logs } = watched;
    const stage = options.stage.name;
    const metrics = new LogMetrics(this, "Metrics", { logs, stage });
    const topic = new AlarmTopic(this, "Topic", { encryptionKey, email: options.alarmEmail });
    new ServiceAlarms(this, "Alarms", { ...watched, metrics, topic });
    this.failing = new Map(
      functions.map((live) => [
        live.name,
        new FunctionAlarms(this, live.name, { function: live, metrics, topic }).failing,
      ]),
    );
    const alarms = this.node.findAll().filter((construct) => construct instanceof ServiceAlarm);
    new ServiceDashboard(this, "Dashboard", { ...watched, metrics, alarms });
    new SavedQueries(this, "Queries", { logs, stage });
    new CfnOutput(scope, "AlarmTopicArn", { value: topic.topicArn, description: "Where alarms are told." });
  }
}
