import Negotiator from "negotiator";
import { documentationPath } from "../addresses.ts";
import { Redirect } from "../errors/api-error.ts";
import type { Middleware } from "./request.ts";

/** Redirects a client to the documentation unless its `Accept` names `application/json` with a weight above zero. */
export const acceptJson = (appliesTo = (_path: string): boolean => true): Middleware => ({
  before: ({ event }) => {
    // A relative reference, which a forged `Host` cannot redirect.
    if (appliesTo(event.rawPath) && !namesJson(event.headers.accept)) throw new Redirect(documentationPath);
  },
});

/** Whether an `Accept` header names `application/json` itself (a wildcard does not) with a weight above zero. */
export const namesJson = (accept = ""): boolean =>
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes("application/json");
