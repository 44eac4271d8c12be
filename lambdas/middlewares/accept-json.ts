import Negotiator from "negotiator";
import { ApiError } from "../errors/api-error.ts";
import type { Middleware } from "./request.ts";

/**
 * Redirects a client to the documentation unless its `Accept` names `application/json` with a weight above zero. `Location` is a
 * relative reference, which a forged `Host` cannot redirect.
 */
export const acceptJson = (appliesTo = (_path: string): boolean => true): Middleware => ({
  before: ({ event }) => {
    if (!appliesTo(event.rawPath) || namesJson(event.headers.accept)) return;
    throw new ApiError("json_not_accepted", { status: redirectStatus(event.requestContext.http.method) });
  },
});

/** Clients follow a 302 with `GET`, and would take the documentation for the success of a write. They repeat the method after a 307. */
export const redirectStatus = (method: string): 302 | 307 => (method === "GET" || method === "HEAD" ? 302 : 307);

/** Whether an `Accept` header names `application/json` itself (a wildcard does not) with a weight above zero. */
export const namesJson = (accept = ""): boolean =>
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes("application/json");
