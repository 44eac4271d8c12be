import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { requireVariable } from "../../environment.ts";
import { describeNotice, type Notice } from "../../resources/notices/notice.ts";
import type { Channel, FoundNotice } from "../../resources/notices/notice-store.ts";
import { baseUrlVariable, busVariable, eventSource, topicVariable } from "./names.ts";
import { detailTypes, type NoticeEvent } from "./notice-event.ts";

/** Notices that certainly were not sent, and can be sent later. Any other error leaves open whether they were. */
export class NotSent extends Error {
  override name = "NotSent";
}

/** A way to send notices. */
export interface Sender {
  channel: Channel;
  /** The most notices of one attempt. */
  batchSize: number;
  /**
   * Makes one attempt, and returns the ids of the notices that certainly were not sent.
   *
   * @throws {NotSent} if none was
   */
  send(notices: readonly FoundNotice[]): Promise<ReadonlySet<string>>;
}

// Each attempt is one request: the SDK's own repetition could send a message twice.
const settings = { maxAttempts: 1 };

/** One message for people, with a sentence for each notice. */
const topicSender = (): Sender => {
  const client = new SNSClient(settings);
  const TopicArn = requireVariable(topicVariable);
  const baseUrl = requireVariable(baseUrlVariable);
  return {
    channel: "topic",
    // A message may have 256 KB, and a sentence with a link takes 1.7 KB at most.
    batchSize: 100,
    async send(notices) {
      const sentences = notices.map((notice) => `- ${describeNotice(notice)}${linkTo(notice, baseUrl)}`);
      const Subject = notices.length === 1 ? "Integration API: a notice" : `Integration API: ${notices.length} notices`;
      const Message = `${sentences.join("\n\n")}\n\nAll tokens: ${baseUrl}/`;
      await attempt(() => client.send(new PublishCommand({ TopicArn, Subject, Message })));
      return new Set();
    },
  };
};

const linkTo = ({ token_id }: Notice, baseUrl: string): string =>
  token_id === null ? "" : `\n  ${baseUrl}/tokens/${token_id}`;

/** One event for each notice: see docs/notices.md. */
const busSender = (): Sender => {
  const client = new EventBridgeClient(settings);
  const EventBusName = requireVariable(busVariable);
  return {
    channel: "bus",
    batchSize: 10,
    async send(notices) {
      const Entries = notices.map(
        (notice): PutEventsRequestEntry => ({
          EventBusName,
          Source: eventSource,
          DetailType: detailTypes[notice.kind],
          Detail: JSON.stringify(notice satisfies NoticeEvent),
        }),
      );
      const { Entries: results = [] } = await attempt(() => client.send(new PutEventsCommand({ Entries })));
      return new Set(notices.filter((_, index) => results[index]?.ErrorCode).map(({ notice_id }) => notice_id));
    },
  };
};

/** The ways to send notices that the environment names. */
export const connectSenders = (): Sender[] => [topicSender(), busSender()];

const attempt = async <Output>(send: () => Promise<Output>): Promise<Output> => {
  try {
    return await send();
  } catch (error) {
    if (isCertain(error)) throw new NotSent("A notice was not sent.", { cause: error });
    throw error;
  }
};

const noConnection = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** Whether an error means that nothing was sent: AWS refused the request, or there was no connection. */
const isCertain = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  const { $metadata, code } = error as Error & { $metadata?: { httpStatusCode?: number }; code?: string };
  return ($metadata?.httpStatusCode ?? 0) >= 400 || noConnection.has(code ?? "");
};
