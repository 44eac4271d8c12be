import { hash } from "node:crypto";
import type { AnyAnswer } from "../declaration/endpoint.ts";
import { ApiError } from "../errors/api-error.ts";
import type { ApiEvent, Middleware, Request } from "./request.ts";

interface ReadAheadOptions {
  /** Starts the endpoint's work; `undefined` if the input is not valid. */
  start: (event: ApiEvent) => Promise<AnyAnswer> | undefined;
  /** How many callers are remembered. */
  maxCallers?: number;
}

/**
 * Starts the work of a read while its token is being looked up, so that the call costs one round trip to the database
 * instead of two.
 *
 * Only for a caller whose token this environment has verified before: a hint, never a verdict. The token is still looked
 * up, and a refusal discards the work unseen. So a stranger causes one look-up and learns nothing from its duration, and a
 * cold call opens one connection. A caller is remembered as a digest of token and address, and forgotten when refused.
 */
export const readAhead = ({ start, maxCallers = 1_000 }: ReadAheadOptions): Middleware => {
  const known = new Set<string>();

  const remember = (callerDigest: string): void => {
    // Adding it again makes it the newest; a set keeps its members in the order in which they were added.
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
      // The response awaits it. Until then, a failure must not count as an unhandled rejection.
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

/** A caller that is refused for its rate limit has a valid token, but must not cause reads that nobody sees. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === "rate_limited";

const digestOf = ({ headers, requestContext }: ApiEvent): string =>
  hash("sha256", `${requestContext.http.sourceIp} ${headers["x-token"]}`, "base64url");
