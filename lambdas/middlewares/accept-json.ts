import preferredMediaTypes from "negotiator/lib/mediaType.js";
import { ApiError } from "../shared/errors/api-error.ts";
import { type Middleware, type Request, refuseUnknown } from "./request.ts";

interface AcceptJsonOptions {
  /** Returns whether clients must accept JSON on this path. Default: on every path. */
  appliesTo?: (path: string) => boolean;
}

/**
 * Redirects a client to the documentation unless its `Accept` header names `application/json` with a weight above zero. `Location`
 * is a relative reference, which a forged `Host` header cannot redirect.
 *
 * @example chain.use(acceptJson({ appliesTo: (path) => path.startsWith("/api/") }))
 */
export const acceptJson = ({ appliesTo = () => true, ...unknown }: AcceptJsonOptions = {}): Middleware => {
  refuseUnknown("acceptJson", unknown);
  const checkAccept = ({ event }: Request): void => {
    if (!appliesTo(event.rawPath) || namesJson(event.headers.accept)) return;
    throw new ApiError("json_not_accepted", { status: redirectStatus(event.requestContext.http.method) });
  };
  return { before: checkAccept };
};

/**
 * Returns the status of a redirect. Clients follow a 302 with `GET`, and would mistake the documentation for the success of a
 * write. They repeat the method after a 307.
 */
export const redirectStatus = (method: string): 302 | 307 => (method === "GET" || method === "HEAD" ? 302 : 307);

/** Checks whether an `Accept` header names `application/json` itself, with a weight above zero. A wildcard does not count. */
export const namesJson = (accept = ""): boolean =>
  preferredMediaTypes(accept.toLowerCase()).includes("application/json");
