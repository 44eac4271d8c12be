import * as z from "zod/mini";
import type { ErrorCode } from "../../errors/catalogue.ts";

/** What of a request's log line is counted: see `log-request`. Client input is in none of these fields. */
const shape = z.object({
  message: z.literal("request"),
  token_id: z.ulid(),
  status: z.int().check(z.minimum(100), z.maximum(599)),
  code: z.optional(z.string().check(z.regex(/^[a-z_]{1,40}$/))),
  source_ip: z._default(z.string(), ""),
  route: z._default(z.string(), ""),
  leak_signal: z.optional(z.string()),
});

export type RequestLine = z.output<typeof shape>;

/**
 * The lines that are counted, in the words of CloudWatch's filters: of requests with a right secret. Whoever has no secret is
 * nobody's use.
 */
export const countedLines = '{ ($.message = "request") && ($.token_id = *) }';

/** Reads a line; `undefined` for one that is not counted. */
export const readRequestLine = (text: string): RequestLine | undefined => {
  try {
    return z.safeParse(shape, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const turnedAway: readonly string[] = [
  "token_expired",
  "token_revoked",
  "ip_not_allowed",
] satisfies readonly ErrorCode[];

/**
 * Whether the token was good for the call, whatever became of it then. Who is refused for sending too many requests uses the
 * token none the less, and would not do without it.
 */
export const isUse = ({ code = "" }: RequestLine): boolean => !turnedAway.includes(code);
