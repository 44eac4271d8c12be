import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Topic } from "../assembly/topics.ts";
import { type AccessControl, denialOf } from "../database/access-control.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import type { Sent } from "./sent.ts";

/** A request to send a message or an event. */
export interface MessageRequest {
  headers: IncomingHttpHeaders;
  body: string;
  response: ServerResponse;
}

/** The parts of the run that sending uses. */
export interface MessageContext {
  environment: AwsEnvironment;
  /** The current application's topics. */
  topics: () => Topic[];
  /** The names of the current application's event buses. */
  buses: () => string[];
  /** Knows what each function may send. */
  accessControl: AccessControl;
  /** The functions' time. */
  now: () => number;
  /** Stores and shows items that were sent together. */
  send: (sent: Sent[]) => void;
  /** Called if a function sends something unsupported. */
  onUnsupported: (request: { functionName: string; what: string }) => void;
}

/** Returns AWS's message if a function may not send something; undefined if it may. */
export const denialOfSending = (
  { accessControl, environment }: MessageContext,
  access: Parameters<AccessControl["missingRight"]>[0],
): string | undefined => {
  const missing = accessControl.missingRight(access);
  if (missing === undefined) return undefined;
  const action = access.action.replace(/^sns:/, "SNS:");
  return `${denialOf({ ...missing, action }, environment)} because no identity-based policy allows the ${action} action`;
};
