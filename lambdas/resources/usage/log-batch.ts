import { gunzipSync } from "node:zlib";
import * as z from "zod/mini";

const delivery = z.object({ awslogs: z.object({ data: z.string() }) });

const batch = z.object({ messageType: z.string(), logEvents: z.array(z.unknown()) });

/** A line of a log, as CloudWatch Logs delivers it. */
export interface LogEvent {
  /** The same every time the line is delivered. */
  id: string;
  /** Unix milliseconds. */
  timestamp: number;
  message: string;
}

/**
 * The lines of a delivery from CloudWatch Logs: JSON, compressed with gzip, in base64. A delivery that only checks the
 * connection has none. Each line is checked when it is counted, so that an invalid line does not affect the others.
 *
 * @throws {Error} for anything else.
 */
export const readLogBatch = (event: unknown): unknown[] => {
  const { data } = delivery.parse(event).awslogs;
  const { messageType, logEvents } = batch.parse(JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString()));
  return messageType === "DATA_MESSAGE" ? logEvents : [];
};
