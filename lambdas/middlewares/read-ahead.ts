import { hash } from "node:crypto";
import type { AnyResponse } from "../declaration/endpoint.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import type { ApiEvent, Middleware, Request } from "./request.ts";

interface ReadAheadOptions {
  /** Starts the endpoint's work. Returns `undefined` if the input is invalid. */
  start: (event: ApiEvent) => Promise<AnyResponse> | undefined;
  /** Maximum number of remembered callers. */
  maxCallers?: number;
}

/**
 * Starts the work of a read during the token lookup, so that the call costs one database round trip instead of two.
 *
 * It does so only for callers whose token this environment has verified before. That is only a hint: the token is still looked up,
 * and if it is rejected, the work is discarded. An unknown caller therefore causes one lookup and learns nothing from its duration,
 * and a cold call opens one connection. Callers are remembered as a digest of token and address, and forgotten when rejected.
 */
export const readAhead = ({ start, maxCallers = 1_000 }: ReadAheadOptions): Middleware => {
  const known = new Set<string>();

  const remember = (callerDigest: string): void => {
    // Adding it again makes it the newest, because a set keeps its members in insertion order.
    known.delete(callerDigest);
    known.add(callerDigest);
    if (known.size <= maxCallers) return;
    const [oldest = ""] = known;
    known.delete(oldest);
  };

  const note = ({ event, error }: Pick<Request, "event" | "error">): void => {
    const { callerDigest, caller } = event;
    if (callerDigest === undefined) return;
    if (caller && !isRefusal(error)) remember(callerDigest);
    else known.delete(callerDigest);
  };

  return {
    before: ({ event }) => {
      event.callerDigest = digestOf(event);
      if (!known.has(event.callerDigest)) return;
      event.work = start(event);
      // The response awaits the work. Until then, a failure must not count as an unhandled rejection.
      event.work?.catch(() => {});
    },
    after: note,
    onError: async (request) => {
      note(request);
      // Nothing may still be running when the response is sent.
      await Promise.allSettled([request.event.work]);
    },
  };
};

/** A caller that exceeds its rate limit has a valid token. It must still not cause reads whose results are discarded. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === "rate_limited";

const digestOf = ({ headers, requestContext }: ApiEvent): string =>
  hash("sha256", `${requestContext.http.sourceIp} ${headers["x-token"]}`, "base64url");
