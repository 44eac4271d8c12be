import { randomUUID } from "node:crypto";
import { arnOf } from "../support/aws-environment.ts";
import { isRecord } from "../support/is-record.ts";
import type { MessageContext, MessageRequest } from "./message-context.ts";
import type { SentEvent } from "./sent.ts";

// Documented limits.
const maximumEntries = 10;
const maximumBytes = 262_144;

const supported = new Set(["Time", "Source", "Resources", "DetailType", "Detail", "EventBusName"]);

interface EntryError {
  ErrorCode: string;
  ErrorMessage: string;
}

type Entry = Record<string, unknown>;

/** Answers EventBridge's `PutEvents`. */
export const answerPutEvents = ({ headers, body, response }: MessageRequest, context: MessageContext) => {
  const answer = (status: number, value: object): void => {
    const answerHeaders = { "content-type": "application/x-amz-json-1.1", "x-amzn-requestid": randomUUID() };
    response.writeHead(status, answerHeaders).end(JSON.stringify(value));
  };
  const refuse = (type: string, message: string, status = 400): void => answer(status, { __type: type, message });

  const functionName = context.senders.functionOf(headers);
  const target = String(headers["x-amz-target"]);
  const entries = entriesIn(body);
  const unsupported = target === "AWSEvents.PutEvents" ? unsupportedPart(body, entries) : target;
  if (unsupported !== undefined) {
    if (functionName !== null) context.onUnsupported({ functionName, what: `${unsupported} of EventBridge` });
    return refuse("NotSupportedLocally", `A local run does not support ${unsupported}.`);
  }
  if (entries.length === 0 || entries.length > maximumEntries) {
    const bound = entries.length === 0 ? "greater than or equal to 1" : `less than or equal to ${maximumEntries}`;
    const problem = `Value at 'entries' failed to satisfy constraint: Member must have length ${bound}`;
    return refuse("ValidationException", `1 validation error detected: ${problem}`);
  }
  for (const entry of entries) {
    const resource = arnOf(context.environment, "events", `event-bus/${busOf(entry)}`);
    const about = { "events:source": String(entry.Source), "events:detail-type": String(entry.DetailType) };
    const denied = context.senders.refusalOf({ headers, action: "events:PutEvents", resource, context: about });
    if (denied !== undefined) return refuse("AccessDeniedException", denied);
    if (!context.buses().includes(busOf(entry))) {
      return refuse("ResourceNotFoundException", `Event bus ${busOf(entry)} does not exist.`);
    }
  }
  if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > maximumBytes) {
    return refuse("ValidationException", "Total size of the entries in the request is over the limit.");
  }

  const failure = context.failures.next("events");
  if (failure === "error") return refuse("InternalException", "The request was made to fail.", 500);
  const results = entries.map((entry) => {
    const error = failure === "entries" ? throttled : entryError(entry);
    return error ?? { entry, EventId: randomUUID() };
  });
  const accepted = results.filter((result) => "entry" in result);
  const sentAt = new Date(context.now());
  context.send(accepted.map(({ entry, EventId: id }) => sentEvent(entry, { id, functionName, sentAt })));
  if (failure === "lost") return void response.destroy();
  answer(200, {
    FailedEntryCount: results.length - accepted.length,
    Entries: results.map((result) => ("entry" in result ? { EventId: result.EventId } : result)),
  });
};

const throttled: EntryError = { ErrorCode: "ThrottlingException", ErrorMessage: "The request was made to fail." };

const entriesIn = (body: string): Entry[] => {
  const parsed = jsonOf(body);
  return isRecord(parsed) && Array.isArray(parsed.Entries) ? parsed.Entries.filter(isRecord) : [];
};

const unsupportedPart = (body: string, entries: Entry[]): string | undefined => {
  const parsed = jsonOf(body);
  const parameter = isRecord(parsed) ? Object.keys(parsed).find((name) => name !== "Entries") : undefined;
  if (parameter !== undefined) return `PutEvents with ${parameter}`;
  const field = entries.flatMap(Object.keys).find((name) => !supported.has(name));
  if (field !== undefined) return `PutEvents with ${field}`;
  const ofOther = entries.find((entry) => String(entry.EventBusName).startsWith("arn:"));
  return ofOther && "PutEvents with the ARN of a bus in place of its name";
};

const busOf = ({ EventBusName: name = "default" }: Entry): string => String(name);

/** Documented: what counts of an entry, with 14 bytes for a time. */
const bytesOf = ({ Time, Source, DetailType, Detail, Resources }: Entry): number => {
  const texts: unknown[] = [Source, DetailType, Detail, ...(Array.isArray(Resources) ? Resources : [])];
  const sizes = texts.map((text) => (typeof text === "string" ? Buffer.byteLength(text) : 0));
  return sizes.reduce((sum, size) => sum + size, Time === undefined ? 0 : 14);
};

const entryError = (entry: Entry): EntryError | undefined => {
  for (const name of ["Source", "DetailType", "Detail"]) {
    if (typeof entry[name] === "string" && entry[name] !== "") continue;
    const ErrorMessage = `Parameter ${name} is not valid. Reason: ${name} is a required argument.`;
    return { ErrorCode: "InvalidArgument", ErrorMessage };
  }
  if (String(entry.Source).startsWith("aws.")) {
    return { ErrorCode: "NotAuthorizedForSourceException", ErrorMessage: "Not authorized for the source." };
  }
  if (isRecord(jsonOf(String(entry.Detail)))) return undefined;
  return { ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed." };
};

const sentEvent = (
  entry: Entry,
  { id, functionName, sentAt }: { id: string; functionName: string | null; sentAt: Date },
): SentEvent => ({
  service: "events",
  id,
  sent_at: sentAt.toISOString(),
  function_name: functionName,
  bus: busOf(entry),
  source: String(entry.Source),
  detail_type: String(entry.DetailType),
  detail: jsonOf(String(entry.Detail)),
  // EventBridge keeps whole seconds.
  time: `${(typeof entry.Time === "number" ? new Date(entry.Time * 1000) : sentAt).toISOString().slice(0, 19)}Z`,
  resources: Array.isArray(entry.Resources) ? entry.Resources.map(String) : [],
});

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
