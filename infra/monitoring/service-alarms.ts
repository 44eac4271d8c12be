import { Duration } from "aws-cdk-lib";
import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { LogMetrics } from "./log-metrics.ts";
import { type AlarmRule, type AlarmTarget, ServiceAlarm } from "./service-alarm.ts";

interface ServiceAlarmsProps extends AlarmTarget {
  httpApi: HttpApi;
  metrics: LogMetrics;
}

const period = Duration.minutes(5);

/** The alarms about the service as clients see it. */
export class ServiceAlarms extends Construct {
  constructor(scope: Construct, id: string, { httpApi, metrics, ...target }: ServiceAlarmsProps) {
    super(scope, id);
    const alarm = (name: string, rule: AlarmRule) => new ServiceAlarm(this, name, { ...rule, ...target });

    const hour = Duration.hours(1);
    alarm("server-errors", {
      // CloudWatch evaluates the last hour every minute. With few calls, an outage takes most of an hour to reach five failures.
      // With many calls, failures reach 1 % of an hour's calls within a minute.
      metric: new MathExpression({
        expression: "IF(failures >= 5, 100 * failures / calls, 0)",
        usingMetrics: {
          failures: metrics.sum("EndpointFailures", { period: hour }),
          calls: metrics.sum("EndpointCalls", { period: hour }),
        },
        label: "5xx in percent",
        period: hour,
      }),
      threshold: 1,
      summary: "In the last hour, at least 1 % of the calls that were not rejected got a 5xx response.",
      section: "Server errors",
    });
    alarm("slow-responses", {
      // With few calls, the slowest percent is a single cold start or a single long page.
      metric: new MathExpression({
        expression: "IF(calls >= 500, slowest, IF(calls >= 10, usual, 0))",
        usingMetrics: {
          calls: httpApi.metricCount({ period, statistic: "Sum" }),
          slowest: httpApi.metricLatency({ period, statistic: "p99" }),
          usual: httpApi.metricLatency({ period, statistic: "p50" }),
        },
        label: "milliseconds",
        period,
      }),
      threshold: 1000,
      periods: { bad: 3, of: 3 },
      summary:
        "For a quarter of an hour, one call in a hundred (one in two if there are few) has taken a second or more.",
      section: "Slow responses",
    });
    alarm("too-many-requests", {
      metric: metrics.sum("TooManyRequests", { period }),
      threshold: 100,
      summary: "API Gateway has rejected at least a hundred calls to endpoints with 429 in five minutes.",
      section: "Too many requests",
    });
    alarm("leaked-token", {
      metric: metrics.sum("LeakSignals", { period }),
      threshold: 1,
      summary: "The correct secret of a token was sent from an address other than its own.",
      section: "A token has leaked",
    });
    alarm("database-unavailable", {
      metric: metrics.sum("Unavailable", { period }),
      threshold: 5,
      summary: "Calls got a 503 because DynamoDB did not respond, or not in time.",
      section: "The database fails or throttles",
    });
    alarm("unreadable-record", {
      metric: metrics.sum("UnreadableRecords", { period }),
      threshold: 1,
      summary: "A page has left out a record that cannot be read.",
      section: "A record cannot be read",
    });
    alarm("functions-throttled", {
      metric: metrics.sum("Throttled", { period: Duration.minutes(1) }),
      threshold: 1,
      // A short burst needs no attention, whoever sent it. With few calls, it takes most of an hour to collect five minutes with
      // calls.
      periods: { bad: 5, of: 60 },
      summary: "In five of the last 60 minutes, Lambda had no capacity for calls to endpoints or of admins.",
      section: "A function is throttled",
    });
    alarm("functions-unfinished", {
      metric: metrics.sum("Unfinished", { period: Duration.minutes(1) }),
      threshold: 2,
      periods: { bad: 2, of: 5 },
      summary: "Functions time out, crash or do not start, at least twice a minute.",
      section: "A function fails",
    });
  }
}
