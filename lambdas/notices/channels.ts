import * as z from "zod/mini";
import { describeNotice, type FoundNotice, type Notice } from "../domain/notices/notice.ts";
import type { Channel } from "../domain/notices/notices-table.ts";
import { addresses } from "../shared/addresses.ts";
import { AwsRefusal, connectToService } from "../shared/aws/connect-to-service.ts";
import { baseUrlVariable, requireVariable } from "../shared/environment.ts";
import { busVariable, detailTypes, eventSource, topicVariable } from "./notice-event.ts";

/** Thrown if notices were definitely not sent and can be sent later. After any other error, they may have been sent. */
export class NotSent extends Error {
  override name = "NotSent";
}

/** A way to send notices. */
export interface Sender {
  channel: Channel;
  /** Maximum notices per attempt. */
  batchSize: number;
  /**
   * Makes one attempt. Returns the ids of the notices that were definitely not sent.
   *
   * @throws {NotSent} if none of the notices was sent
   */
  send(notices: readonly FoundNotice[]): Promise<ReadonlySet<string>>;
}

// A request that AWS may have received must not be retried.
const once = { retries: 0 };

/**
 * Uses a new connection for each request. AWS closes idle connections while the function is frozen. A request on such a connection
 * fails without showing whether it arrived.
 */
const connection = "close";

/** How long to wait for a response. */
const timeoutMs = 5_000;

/** Sends one message to people, with a sentence for each notice. */
const topicSender = (): Sender => {
  const send = connectToService("sns", once);
  const TopicArn = requireVariable(topicVariable);
  const baseUrl = requireVariable(baseUrlVariable);
  return {
    channel: "topic",
    batchSize: 100,
    async send(notices) {
      const sentences = notices.map(
        (notice) => `- ${describeNotice(notice)}${delayOf(notice)}${linkTo(notice, baseUrl)}`,
      );
      const Subject = notices.length === 1 ? "A notice about tokens" : `${notices.length} notices about tokens`;
      const Message = `${sentences.join("\n\n")}\n\nAll tokens: ${baseUrl}${addresses.tokens}`;
      const fields = new URLSearchParams({ Action: "Publish", Version: "2010-03-31", TopicArn, Subject, Message });
      await attempt(() =>
        send("/", {
          body: fields.toString(),
          headers: { "content-type": "application/x-www-form-urlencoded", connection },
          signal: AbortSignal.timeout(timeoutMs),
        }),
      );
      return new Set();
    },
  };
};

/** After this time, a message says when the notice was found, because the notice may no longer be true. */
const lateMs = 60 * 60 * 1000;

const delayOf = ({ found_at }: FoundNotice): string =>
  Date.now() - Date.parse(found_at) > lateMs ? ` (Found at ${found_at}.)` : "";

const linkTo = ({ token_id }: Notice, baseUrl: string): string =>
  token_id === null ? "" : `\n  ${baseUrl}${addresses.token(token_id)}`;

const putEventsResponse = z.object({ Entries: z.array(z.object({ ErrorCode: z.optional(z.string()) })) });

/** Sends one event per notice: see docs/notices.md. */
const busSender = (): Sender => {
  const send = connectToService("events", once);
  const EventBusName = requireVariable(busVariable);
  return {
    channel: "bus",
    batchSize: 10,
    async send(notices) {
      const Entries = notices.map((notice) => ({
        EventBusName,
        Source: eventSource,
        DetailType: detailTypes[notice.kind],
        Detail: JSON.stringify(notice),
      }));
      const response = await attempt(() =>
        send("/", {
          body: JSON.stringify({ Entries }),
          headers: {
            "content-type": "application/x-amz-json-1.1",
            "x-amz-target": "AWSEvents.PutEvents",
            connection,
          },
          signal: AbortSignal.timeout(timeoutMs),
        }),
      );
      const results = z.parse(putEventsResponse, await response.json()).Entries;
      return new Set(notices.filter((_, index) => results[index]?.ErrorCode).map(({ notice_id }) => notice_id));
    },
  };
};

/** Returns the senders that the environment configures. */
export const connectSenders = (): Sender[] => [topicSender(), busSender()];

const attempt = async <Answer>(send: () => Promise<Answer>): Promise<Answer> => {
  try {
    return await send();
  } catch (error) {
    if (isCertain(error)) throw new NotSent("A notice was not sent.", { cause: error });
    throw error;
  }
};

/** An error that occurred before a connection was established. */
const noConnection = z.object({
  cause: z.object({ code: z.enum(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]) }),
});

/** Checks whether an error means that nothing was sent: AWS did not accept the request, or there was no connection. */
const isCertain = (error: unknown): boolean =>
  error instanceof AwsRefusal
    ? error.status < 500 || error.status === serviceUnavailable
    : z.safeParse(noConnection, error).success;

/** The only AWS failure that proves that the request was not accepted. */
const serviceUnavailable = 503;
