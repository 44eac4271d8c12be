import { type ILogGroup, QueryDefinition, QueryString } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import type { ServiceLogs } from "../constructs/service-logs.ts";

interface SavedQueriesProps {
  logs: ServiceLogs;
  /** The prefix of the query names, such as `Shop-prod`. */
  prefix: string;
}

const times = "@timestamp";

/** Queries that operators run on the logs, saved in CloudWatch Logs Insights. Their literal values are examples to be replaced. */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { logs, prefix }: SavedQueriesProps) {
    super(scope, id);
    const query = (name: string, logGroups: ILogGroup[], about: ConstructorParameters<typeof QueryString>[0]) =>
      new QueryDefinition(this, name, {
        queryDefinitionName: `${prefix}/${name}`,
        queryString: new QueryString({ sort: `${times} desc`, limit: 200, ...about }),
        logGroups,
      });

    query("Why was this client refused", [logs.requests], {
      fields: [times, "source_ip", "route", "status", "code", "token_id", "client", "leak_signal", "request_id"],
      filterStatements: ['message = "request"', "ispresent(code)", 'source_ip = "198.51.100.7"'],
    });
    query("What did this token do", [logs.requests], {
      fields: [times, "route", "status", "code", "source_ip", "request_id"],
      filterStatements: ['message = "request"', 'token_id = "01J00000000000000000000000"'],
    });
    query("Tokens with the most calls", [logs.requests], {
      filterStatements: ['message = "request"', "ispresent(token_id)"],
      statsStatements: ["count(*) as calls, count_distinct(route) as routes by token_id, source_ip"],
      sort: "calls desc",
      limit: 20,
    });
    query("What became of this request", [logs.access, logs.requests, logs.admin], {
      fields: [times, "@message"],
      filterStatements: ['request_id = "the X-Request-Id of its response"'],
    });
    query("What failed and why", [logs.requests, logs.admin, logs.usage], {
      fields: [
        times,
        "route",
        "action",
        "status",
        "code",
        "cause",
        "record.status",
        "message.errorMessage",
        "request_id",
      ],
      // Lambda's own lines report environments that did not start and invocations that did not end.
      filterStatements: [
        [
          'level in ["ERROR", "FATAL"]',
          'record.status in ["failure", "timeout"]',
          '(type = "platform.initReport" and record.status = "error")',
        ].join(" or "),
      ],
    });
    query("Unreadable records", [logs.requests, logs.admin, logs.usage], {
      // Each table has its own key, which is part of the message.
      fields: [times, "table", "error", "@message"],
      filterStatements: ['message = "unreadable_record"'],
    });
    query("Who changed which token or key", [logs.admin], {
      fields: [times, "action", "actor", "token_id", "key_id", "predecessor_id", "code", "request_id"],
      filterStatements: ['message = "admin"'],
    });
    query("Calls by endpoint and status", [logs.access], {
      statsStatements: [
        "count(*) as calls, pct(latency_ms, 50) as p50_ms, pct(latency_ms, 99) as p99_ms by route, status",
      ],
      sort: "calls desc",
    });
  }
}
