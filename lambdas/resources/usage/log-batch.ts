import { gunzipSync } from "node:zlib";
import * as z from "zod/mini";

const delivery = z.object({ awslogs: z.object({ data: z.string() }) });

const batch = z.object({
  messageType: z.string(),
  logEvents: z.array(z.object({ id: z.string(), timestamp: z.number(), message: z.string() })),
});

/** A line of a log, as CloudWatch Logs delivers it. */
export interface LogEvent {
  /** The same every time the line is delivered. */
  id: string;
  /** Unix milliseconds. */
  timestamp: number;
  message: string;
}

/**
 * The lines of a delivery from CloudWatch Logs: JSON, compressed with gzip, in base64. A delivery that only checks the connection
 * has none.
 *
 * @throws {Error} for anything else.
 */
export const readLogBatch = (event: unknown): LogEvent[] => {
  const { data } = delivery.parse(event).awslogs;
  const { messageType, logEvents } = batch.parse(JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString()));
  return messageType === "DATA_MESSAGE" ? logEvents : [];
};
