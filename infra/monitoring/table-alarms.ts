import { Duration } from "aws-cdk-lib";
import type { MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { AnyTable } from "../../lambdas/dynamodb/table.ts";
import { rightsOn } from "../../lambdas/dynamodb/uses.ts";
import type { ServiceTable } from "../constructs/service-tables.ts";
import { type AlarmRule, type AlarmTarget, ServiceAlarm } from "./service-alarm.ts";
import { sumOf } from "./sum-of.ts";

interface TableAlarmsProps extends AlarmTarget {
  tables: readonly ServiceTable[];
}

const period = Duration.minutes(5);
const section = "The database fails or throttles";

/** The alarms of each table. They also fire while retries hide a problem from clients. */
export class TableAlarms extends Construct {
  constructor(scope: Construct, id: string, { tables, ...target }: TableAlarmsProps) {
    super(scope, id);
    const alarm = (name: string, rule: AlarmRule) => new ServiceAlarm(this, name, { ...rule, ...target });

    for (const { store, declaration, resource: table } of tables) {
      const throttles = (options: MetricOptions = {}) =>
        ["ReadThrottleEvents", "WriteThrottleEvents"].map((name) =>
          table.metric(name, { period, statistic: "Sum", ...options }),
        );
      alarm(`${store}-table-throttled`, {
        metric: sumOf(numbered(throttles()), period),
        threshold: 1,
        summary: `DynamoDB throttles the table ${store}.`,
        section,
      });
      for (const index of Object.keys(declaration.indexes ?? {})) {
        alarm(`${store}-${index}-index-throttled`, {
          metric: sumOf(numbered(throttles({ dimensionsMap: indexDimensions(table, index) })), period),
          threshold: 1,
          summary: `DynamoDB throttles the index ${index} of ${store}, and writes to the table.`,
          section,
        });
      }
      const errors = operationsOn(declaration).map((Operation) =>
        table.metric("SystemErrors", {
          period,
          statistic: "Sum",
          dimensionsMap: { TableName: table.tableName, Operation },
        }),
      );
      alarm(`${store}-table-errors`, {
        metric: sumOf(numbered(errors), period),
        threshold: 5,
        summary: `DynamoDB reports internal errors on the table ${store}.`,
        section,
      });
    }
  }
}

/** Returns the dimensions of an index's metrics, which those of its table do not include. */
export const indexDimensions = ({ tableName }: ServiceTable["resource"], index: string) => ({
  TableName: tableName,
  GlobalSecondaryIndexName: index,
});

const numbered = <Value>(values: Value[]): Record<string, Value> =>
  Object.fromEntries(values.map((value, index) => [`m${index}`, value]));

/** Returns the actions that the service performs on a table. DynamoDB counts errors separately for each of them. */
const operationsOn = (table: AnyTable): string[] => [
  ...new Set(rightsOn(table).map((right) => (typeof right === "string" ? right : right.action))),
];
