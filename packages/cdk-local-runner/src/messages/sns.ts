import { randomUUID } from "node:crypto";
import { escapeMarkup } from "../support/http-listener.ts";
import { denialOfSending, type MessageContext, type MessageRequest } from "./sent.ts";

// Documented limits.
const maximumMessageBytes = 262_144;
const subjectPattern = /^[!-~][ -~]{0,99}$/;

const supported = new Set(["Action", "Version", "TopicArn", "Subject", "Message"]);

/** Handles a request of SNS's query protocol: `Publish` to a topic, with a subject and a message. */
export const answerPublish = ({ headers, body, response }: MessageRequest, context: MessageContext) => {
  const requestId = randomUUID();
  const answer = (status: number, xml: string): void => {
    response.writeHead(status, { "content-type": "text/xml", "x-amzn-requestid": requestId }).end(xml);
  };
  const refuse = (status: number, code: string, message: string): void =>
    answer(
      status,
      `<ErrorResponse xmlns="${namespace}"><Error><Type>Sender</Type><Code>${code}</Code>` +
        `<Message>${escapeMarkup(message)}</Message></Error><RequestId>${requestId}</RequestId></ErrorResponse>`,
    );

  const form = new URLSearchParams(body);
  const functionName = context.accessControl.functionOf(headers) ?? null;
  const unsupported = unsupportedPart(form);
  if (unsupported !== undefined) {
    if (functionName !== null) context.onUnsupported({ functionName, what: `${unsupported} of SNS` });
    return refuse(400, "NotSupportedLocally", `A local run does not support ${unsupported}.`);
  }
  const topicArn = form.get("TopicArn") ?? "";
  const denied = denialOfSending(context, { headers, action: "sns:Publish", resource: topicArn });
  if (denied !== undefined) return refuse(403, "AuthorizationError", denied);
  const topic = context.topics().find(({ arn }) => arn === topicArn);
  if (topic === undefined) return refuse(404, "NotFound", "Topic does not exist");
  const invalid = invalidPart(form);
  if (invalid !== undefined) return refuse(400, "InvalidParameter", `Invalid parameter: ${invalid}`);

  const id = randomUUID();
  const sent_at = new Date(context.now()).toISOString();
  const sending = { service: "sns" as const, id, sent_at, function_name: functionName };
  const { subscribers } = topic;
  const [subject, message] = [form.get("Subject"), form.get("Message") ?? ""];
  context.send([{ ...sending, topic_arn: topicArn, subscribers, subject, message }]);
  answer(
    200,
    `<PublishResponse xmlns="${namespace}"><PublishResult><MessageId>${id}</MessageId></PublishResult>` +
      `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata></PublishResponse>`,
  );
};

const namespace = "http://sns.amazonaws.com/doc/2010-03-31/";

const unsupportedPart = (form: URLSearchParams): string | undefined => {
  if (form.get("Action") !== "Publish") return `the action ${form.get("Action")}`;
  if (!form.has("TopicArn")) return "Publish without TopicArn";
  const parameter = [...form.keys()].find((name) => !supported.has(name));
  return parameter && `Publish with ${parameter}`;
};

const invalidPart = (form: URLSearchParams): string | undefined => {
  const message = form.get("Message") ?? "";
  if (message === "") return "Empty message";
  if (Buffer.byteLength(message) > maximumMessageBytes) return "Message too long";
  return subjectPattern.test(form.get("Subject") ?? "none") ? undefined : "Subject";
};
