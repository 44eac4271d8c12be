import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { Topic } from "../assembly/topics.ts";
import { type AccessControl, denialOf } from "../database/access-control.ts";
import type { AwsEnvironment } from "../support/aws-environment.ts";

interface Sending {
  id: string;
  /** The functions' time. */
  sent_at: string;
  /** The function that sent it; null for other senders, such as the AWS CLI. */
  function_name: string | null;
}

/** A message that was sent to a topic. */
export interface SentMessage extends Sending {
  service: "sns";
  topic_arn: string;
  /** The subscribers that would receive it. */
  subscribers: string[];
  subject: string | null;
  message: string;
}

/** An event that was sent to an event bus. */
export interface SentEvent extends Sending {
  service: "events";
  bus: string;
  source: string;
  detail_type: string;
  detail: unknown;
  time: string;
  resources: string[];
}

export type Sent = SentMessage | SentEvent;

// A terminal would interpret some of these characters, and others would make different texts look alike.
const invisible = /[^\P{C}\n]/gu;

/** Returns what the terminal shows about a sent item. */
export const describeSent = (sent: Sent): string =>
  textOf(sent).replace(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const textOf = (sent: Sent): string => {
  const by = sent.function_name === null ? "" : ` by ${sent.function_name}`;
  if (sent.service === "events") {
    const detail = JSON.stringify(sent.detail);
    return `Sent${by} to the event bus ${sent.bus}: ${sent.detail_type} (${sent.source}) ${detail}\n`;
  }
  const topic = sent.topic_arn.split(":").at(-1);
  const readers = sent.subscribers.length === 0 ? "no subscribers" : sent.subscribers.join(", ");
  const text = [
    ...(sent.subject === null ? [] : [`Subject: ${sent.subject}`, ""]),
    ...sent.message.trimEnd().split("\n"),
  ];
  return [`Sent${by} to the topic ${topic} (${readers}):`, ...text.map((line) => `  | ${line}`.trimEnd()), ""].join(
    "\n",
  );
};

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
  /** Keeps and shows items that were sent together. */
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
