import * as z from "zod/mini";
import type { ErrorCode } from "../../errors/catalogue.ts";
import { canonicalIp } from "../tokens/ip-address.ts";
import { maxRouteLength } from "./refusal.ts";

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
