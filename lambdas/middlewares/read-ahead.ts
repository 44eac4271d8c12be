import { hash } from "node:crypto";
import type { AnyResponse } from "../declaration/responses.ts";
import { ApiError } from "../shared/errors/api-error.ts";
import { type ApiEvent, type Middleware, type Request, refuseUnknown } from "./request.ts";
import type { Verified } from "./verify-token.ts";

/** The fields that this middleware adds. If the work has started, the handler awaits it instead of starting it again. */
export interface Ahead {
  /** The endpoint's work, if it has already started. */
  work?: Promise<AnyResponse> | undefined;
  /** Recognises the caller in later requests. */
  callerDigest?: string;
}

interface ReadAheadOptions {
  /** Starts the endpoint's work. Throws an `ApiError` if the input is invalid. */
  start: (event: ApiEvent) => Promise<AnyResponse>;
}

/** Maximum number of remembered callers. */
const maxCallers = 1_000;

/**
 * Starts the work of a read during the token lookup, so that the call costs one database round trip instead of two. All later
 * checks still run, in their order, and the response waits for them.
 *
 * The middleware does so only for callers whose token this environment has verified before. The earlier verification is only a
 * hint: the token is still looked up, and if it is rejected, the work is discarded. An unknown caller therefore causes one lookup
 * and learns nothing from its duration, and a cold call opens one connection. Callers are remembered as a digest of token and
 * address, and forgotten when rejected.
 *
 * @example chain.use(readAhead({ start: (event) => work(readInput(event)) })).handler(({ work, input }) => work ?? start(input))
 */
export const readAhead = ({ start, ...unknown }: ReadAheadOptions): Middleware<Ahead> => {
  refuseUnknown("readAhead", unknown);
  const known = new Set<string>();

  const remember = (callerDigest: string): void => {
    // Adding it again makes it the newest, because a set keeps its members in insertion order.
    known.delete(callerDigest);
    known.add(callerDigest);
    if (known.size <= maxCallers) return;
    const [oldest = ""] = known;
    known.delete(oldest);
  };

  const startWork = ({ event }: Request<Ahead>): void => {
    event.callerDigest = digestOf(event);
    if (!known.has(event.callerDigest)) return;
    try {
      event.work = start(event);
    } catch (error) {
      // Invalid input is reported by its own check, only to verified callers.
      if (!(error instanceof ApiError)) throw error;
    }
    // The response awaits the work. Until then, a failure must not count as an unhandled rejection.
    event.work?.catch(() => {});
  };

  /** A request whose token has been rejected has no caller. */
  const noteCaller = ({ event, error }: Request<Ahead & Partial<Verified>>): void => {
    const { callerDigest, caller } = event;
    if (callerDigest === undefined) return;
    if (caller && !isRefusal(error)) remember(callerDigest);
    else known.delete(callerDigest);
  };

  const awaitWork = async (request: Request<Ahead>): Promise<void> => {
    noteCaller(request);
    // Nothing may still be running when the response is sent.
    await Promise.allSettled([request.event.work]);
  };

  return { before: startWork, after: noteCaller, onError: awaitWork };
};

/** A caller that exceeds its rate limit has a valid token. Even so, it must not cause reads whose results are discarded. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === "rate_limited";

const digestOf = ({ headers, requestContext }: ApiEvent): string =>
  hash("sha256", `${requestContext.http.sourceIp} ${headers["x-token"]}`, "base64url");
