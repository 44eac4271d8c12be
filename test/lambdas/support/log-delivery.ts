import { gzipSync } from "node:zlib";
import type { LogEvent } from "../../../lambdas/resources/usage/request-line.ts";

/** The event that CloudWatch Logs sends to a function that has subscribed to a log. */
export const logDelivery = (logEvents: object[], messageType = "DATA_MESSAGE"): { awslogs: { data: string } } => {
  const batch = { messageType, owner: "123456789012", logGroup: "requests", logStream: "one", logEvents };
  return { awslogs: { data: gzipSync(JSON.stringify(batch)).toString("base64") } };
};

let events = 0;

/** The line that the functions log for a request at this time. */
export const requestEvent = (time: string, fields: object): LogEvent => {
  events += 1;
  const line = { level: "INFO", message: "request", request_id: "r", route: "GET /api/v1/key", ...fields };
  return { id: String(events), timestamp: Date.parse(time), message: `${JSON.stringify(line)}\n` };
};
