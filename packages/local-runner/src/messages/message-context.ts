import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Topic } from "../assembly/topics.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";
import type { Failures } from "./failures.ts";
import type { Senders } from "./senders.ts";
import type { Sent } from "./sent.ts";

/** A request to send something. */
export interface MessageRequest {
  headers: IncomingHttpHeaders;
  body: string;
  response: ServerResponse;
}

/** The parts of the run that sending uses. */
export interface MessageContext {
  environment: AwsEnvironment;
  /** The topics of the current application. */
  topics: () => Topic[];
  /** The names of its event buses. */
  buses: () => string[];
  senders: Senders;
  failures: Failures;
  /** The time of the functions. */
  now: () => number;
  /** Stores and shows what is sent together. */
  send: (sent: Sent[]) => void;
  /** Called if a function sends what is not supported. */
  onUnsupported: (request: { functionName: string; what: string }) => void;
}
