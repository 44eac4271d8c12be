import { CfnOutput } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Construct } from "constructs";
import type { Tables } from "../constructs/data/service-tables.ts";
import type { LiveFunction } from "../constructs/functions/service-function.ts";
import type { MonitoredFunction } from "../constructs/functions/traffic-shift.ts";
import type { ServiceLogs } from "../constructs/logs/service-logs.ts";
import type { Options } from "../stages/options.ts";
import { AlarmTopic } from "./alarm-topic.ts";
import { ServiceDashboard } from "./dashboard.ts";
import { FunctionAlarms } from "./function-alarms.ts";
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
  /** The address of the runbook. */
  runbookUrl: string;
  options: Options;
}

/** How operators see the service: metrics, alarms, a dashboard and saved queries. */
export class Monitoring extends Construct {
  /** The functions with the alarms that roll a new version back. */
  readonly monitored: MonitoredFunction[];

  constructor(scope: Construct, id: string, { encryptionKey, runbookUrl, options, ...watched }: MonitoringProps) {
    super(scope, id);
    const { functions, logs } = watched;
    const stage = options.stage.name;
    const metrics = new LogMetrics(this, "Metrics", { logs, stage });
    const topic = new AlarmTopic(this, "Topic", { encryptionKey, email: options.alarmEmail });
    const target = { topic, runbookUrl };
    new ServiceAlarms(this, "Alarms", { ...watched, metrics, ...target });
    this.monitored = functions.map((live) => {
      const { failing } = new FunctionAlarms(this, live.name, { function: live, metrics, ...target });
      return { ...live, failureAlarm: failing };
    });
    const alarms = this.node.findAll().filter((construct) => construct instanceof ServiceAlarm);
    new ServiceDashboard(this, "Dashboard", { ...watched, metrics, alarms });
    new SavedQueries(this, "Queries", { logs, stage });
    new CfnOutput(scope, "AlarmTopicArn", { value: topic.topicArn, description: "The topic that alarms are sent to." });
  }
}
