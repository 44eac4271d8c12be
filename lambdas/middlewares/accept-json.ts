import Negotiator from "negotiator";
import { documentationPath } from "../addresses.ts";
import { Redirect } from "../errors/api-error.ts";
import type { Middleware } from "./request.ts";

interface AcceptJsonOptions {
  /** Where a client that does not ask for JSON is sent: a relative reference, which a forged `Host` cannot redirect. */
  redirectTo?: string;
  /** The paths to which this applies: all by default. */
  appliesTo?: ((path: string) => boolean) | undefined;
}

/** Redirects a client to the documentation unless its `Accept` names `application/json` with a weight above zero. */
export const acceptJson = ({
  redirectTo = documentationPath,
  appliesTo = () => true,
}: AcceptJsonOptions = {}): Middleware => ({
  before: ({ event }) => {
    if (appliesTo(event.rawPath) && !namesJson(event.headers.accept)) throw new Redirect(redirectTo);
  },
});

/** Whether an `Accept` header names `application/json` itself (a wildcard does not) with a weight above zero. */
export const namesJson = (accept = ""): boolean =>
  new Negotiator({ headers: { accept: accept.toLowerCase() } }).mediaTypes().includes("application/json");
