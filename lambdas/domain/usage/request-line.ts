import { gunzipSync } from "node:zlib";
import * as z from "zod/mini";
import type { ErrorCode } from "../../shared/errors/catalogue.ts";
import { parseJson } from "../../shared/parse-json.ts";
import { canonicalIp } from "../tokens/ip-address.ts";
import { claimName, maxRouteLength } from "./refusal.ts";

const delivery = z.object({ awslogs: z.object({ data: z.string() }) });

const batch = z.object({ messageType: z.string(), logEvents: z.array(z.unknown()) });

/** A log line as CloudWatch Logs delivers it. */
export interface LogEvent {
  /** Stays the same if the line is delivered again. */
  id: string;
  /** Unix milliseconds. */
  timestamp: number;
  message: string;
}

/**
 * Returns the lines of a delivery from CloudWatch Logs, which is gzipped JSON in base64. A delivery that only checks the connection
 * has no lines. Each line is validated when it is counted, so that an invalid line does not affect the others.
 *
 * @throws {Error} for anything else.
 */
export const readLogBatch = (event: unknown): unknown[] => {
  const { data } = delivery.parse(event).awslogs;
  const { messageType, logEvents } = batch.parse(JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString()));
  return messageType === "DATA_MESSAGE" ? logEvents : [];
};

/** The fields of a request's log line that are counted: see `log-request`. No field contains client input. */
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
  claim: z.optional(claimName),
  credential: z.optional(z.string()),
  confirmation: z.optional(z.string()),
});

export type RequestLine = z.output<typeof shape>;

/** A CloudWatch Logs filter for the lines that are counted: requests with a token's correct secret. */
export const countedLines = '{ ($.message = "request") && ($.token_id = *) }';

/** Reads a line. Returns `undefined` if the line is not counted. */
export const readRequestLine = (text: string): RequestLine | undefined => z.safeParse(shape, parseJson(text)).data;

const refusedCodes: readonly string[] = [
  "token_expired",
  "token_revoked",
  "ip_not_allowed",
] satisfies readonly ErrorCode[];

/**
 * Checks whether the token was accepted, whatever the outcome of the call. A client that is rejected for sending too many requests
 * still depends on its token. A call that only needs the token's secret, such as a rotation, does not show that the token was
 * accepted.
 */
export const isUse = ({ code = "", credential }: RequestLine): boolean =>
  credential === undefined && !refusedCodes.includes(code);

/** A call that people should be notified of at once. */
export interface UrgentCall {
  token_id: string;
  /**
   * The address that the correct secret was sent from, and when (RFC 3339, UTC, ms); absent for a call that requests a
   * confirmation.
   */
  leak?: { source_ip: string; seen_at: string };
}

/**
 * Returns the calls that leaked a secret or requested a confirmation: one per token and address for leaks, one per token for
 * confirmations.
 */
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
