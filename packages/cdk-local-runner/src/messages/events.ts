import { randomUUID } from "node:crypto";
import { arnOf } from "../support/aws-environment.ts";
import { sendJson } from "../support/http-listener.ts";
import { isRecord, jsonOrUndefined } from "../support/json.ts";
import * as z from "../support/zod.ts";
import { denialOfSending, type MessageContext, type MessageRequest, type SentEvent } from "./sent.ts";

// Documented limits.
const maximumEntries = 10;
const maximumBytes = 262_144;

const text = z._default(z.string(), "");

/** The supported requests. AWS rejects invalid entries individually. */
const requestSchema = z.strictObject({
  Entries: z.array(
    z.strictObject({
      Time: z.optional(z.unknown()),
      Source: text,
      Resources: z._default(z.array(z.string()), []),
      DetailType: text,
      Detail: text,
      EventBusName: z._default(
        z.string().check(z.regex(/^(?!arn:)/, "the ARN of a bus in place of its name")),
        "default",
      ),
    }),
  ),
});

type Entry = z.infer<typeof requestSchema>["Entries"][number];

/** Handles EventBridge's `PutEvents`. */
export const answerPutEvents = ({ headers, body, response }: MessageRequest, context: MessageContext) => {
  const answer = (status: number, value: object): void =>
    sendJson(response.setHeader("x-amzn-requestid", randomUUID()), status, value, "application/x-amz-json-1.1");
  const refuse = (type: string, message: string): void => answer(400, { __type: type, message });

  const functionName = context.accessControl.functionOf(headers) ?? null;
  const target = String(headers["x-amz-target"]);
  const { data, error } = requestSchema.safeParse(jsonOrUndefined(body));
  if (target !== "AWSEvents.PutEvents" || data === undefined) {
    const what = error ? `PutEvents with ${z.prettifyError(error)}` : target;
    if (functionName !== null) context.onUnsupported({ functionName, what: `${what} of EventBridge` });
    return refuse("NotSupportedLocally", `A local run does not support ${what}.`);
  }
  const { Entries: entries } = data;
  if (entries.length === 0 || entries.length > maximumEntries) {
    const bound = entries.length === 0 ? "greater than or equal to 1" : `less than or equal to ${maximumEntries}`;
    return refuse("ValidationException", `1 validation error detected: 'entries' must have length ${bound}`);
  }
  for (const { Source, DetailType, EventBusName } of entries) {
    const resource = arnOf(context.environment, "events", `event-bus/${EventBusName}`);
    const about = { "events:source": Source, "events:detail-type": DetailType };
    const denied = denialOfSending(context, { headers, action: "events:PutEvents", resource, context: about });
    if (denied !== undefined) return refuse("AccessDeniedException", denied);
    if (!context.buses().includes(EventBusName)) {
      return refuse("ResourceNotFoundException", `Event bus ${EventBusName} does not exist.`);
    }
  }
  if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > maximumBytes) {
    return refuse("ValidationException", "Total size of the entries in the request is over the limit.");
  }

  const results = entries.map((entry) => {
    const [ErrorCode, ErrorMessage] = problemOf(entry);
    return ErrorCode === undefined ? { entry, EventId: randomUUID() } : { ErrorCode, ErrorMessage };
  });
  const accepted = results.filter((result) => result.entry !== undefined);
  const sentAt = new Date(context.now());
  context.send(accepted.map(({ entry, EventId: id }) => sentEvent(entry, { id, functionName, sentAt })));
  const Entries = results.map((result) => ("EventId" in result ? { EventId: result.EventId } : result));
  answer(200, { FailedEntryCount: results.length - accepted.length, Entries });
};

type Problem = [code?: string, message?: string];

/** Documented: the parts of an entry that count towards its size, including 14 bytes for a time. */
const bytesOf = ({ Time, Source, DetailType, Detail, Resources }: Entry): number =>
  Buffer.byteLength([Source, DetailType, Detail, ...Resources].join("")) + (Time === undefined ? 0 : 14);

const problemOf = (entry: Entry): Problem => {
  const missing = (["Source", "DetailType", "Detail"] as const).find((name) => entry[name] === "");
  if (missing !== undefined) return ["InvalidArgument", `Parameter ${missing} is a required argument.`];
  if (entry.Source.startsWith("aws.")) return ["NotAuthorizedForSourceException", "Not authorized for the source."];
  return isRecord(jsonOrUndefined(entry.Detail)) ? [] : ["MalformedDetail", "Detail is malformed."];
};

const sentEvent = (
  { Time, Source, DetailType, Detail, EventBusName, Resources }: Entry,
  { id, functionName, sentAt }: { id: string; functionName: string | null; sentAt: Date },
): SentEvent => ({
  service: "events",
  id,
  sent_at: sentAt.toISOString(),
  function_name: functionName,
  bus: EventBusName,
  source: Source,
  detail_type: DetailType,
  detail: jsonOrUndefined(Detail),
  // EventBridge stores whole seconds.
  time: `${(typeof Time === "number" ? new Date(Time * 1000) : sentAt).toISOString().slice(0, 19)}Z`,
  resources: Resources,
});
