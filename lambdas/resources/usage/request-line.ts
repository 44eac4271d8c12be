import { gunzipSync } from "node:zlib";
import * as z from "zod/mini";
import type { ErrorCode } from "../../errors/catalogue.ts";
import { canonicalIp } from "../tokens/ip-address.ts";
import { maxRouteLength } from "./refusal.ts";

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

/** The fields of a request's log line that are counted: see `log-request`. None of them holds client input. */
const shape = z.object({
  message: z.literal("request"),
  token_id: z.ulid(),
  status: z.int().check(z.minimum(100), z.maximum(599)),
  code: z.optional(z.string().check(z.regex(/^[a-z_]{1,40}$/))),
  source_ip: z._default(
    z.pipe(
      z.string(),
      z.transform((text) => canonicalIp(text) ?? ""),
    ),
    "",
  ),
  route: z._default(z.string().check(z.maxLength(maxRouteLength)), ""),
  leak_signal: z.optional(z.string()),
  credential: z.optional(z.string()),
  confirmation: z.optional(z.string()),
});

export type RequestLine = z.output<typeof shape>;

/** A CloudWatch Logs filter for the lines that are counted: those of requests with the correct secret of a token. */
export const countedLines = '{ ($.message = "request") && ($.token_id = *) }';

/** Reads a line; `undefined` if it is not counted. */
export const readRequestLine = (text: string): RequestLine | undefined => {
  try {
    return z.safeParse(shape, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const refusedCodes: readonly string[] = [
  "token_expired",
  "token_revoked",
  "ip_not_allowed",
] satisfies readonly ErrorCode[];

/**
 * Whether the token was accepted, whatever the outcome of the call. A client that is refused for sending too many requests
 * still depends on its token. A call that only takes the token's secret, such as its rotation, says nothing about that.
 */
export const isUse = ({ code = "", credential }: RequestLine): boolean =>
  credential === undefined && !refusedCodes.includes(code);

/** A call that people should hear about at once. */
export interface UrgentCall {
  token_id: string;
  /** Where the correct secret came from and when (RFC 3339, UTC, ms); absent for a call that asks for a confirmation. */
  leak?: { source_ip: string; seen_at: string };
}

/** The calls that leaked a secret or asked an admin for a confirmation: one for each token and address, or token. */
export const urgentCallsIn = (lines: readonly { line: RequestLine; time: string }[]): UrgentCall[] => {
  const calls = new Map<string, UrgentCall>();
  for (const { line, time } of lines) {
    const { token_id, source_ip, leak_signal, confirmation } = line;
    if (confirmation !== undefined) calls.set(token_id, { token_id });
    const place = `${token_id} ${source_ip}`;
    if (leak_signal === undefined || source_ip === "" || calls.has(place)) continue;
    calls.set(place, { token_id, leak: { source_ip, seen_at: time } });
  }
  return [...calls.values()];
};
