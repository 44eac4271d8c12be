import type { Item } from "cdk-local-runner/database";
import * as z from "zod/mini";
import { type Channel, channels } from "../../../lambdas/resources/notices/notice-store.ts";
import type { Database } from "../database/database.ts";

/**
 * The fate of a message to a channel. `lost` is a response that never arrives; the message itself may or may not have arrived.
 */
export type ChannelFault = "refused" | "partly refused" | "no connection" | "lost" | "lost on the way";

/** One attempt to send notices, as the receiver and the function see it. */
export interface Sending {
  channel: Channel;
  noticeIds: string[];
  hasArrived: boolean;
  /** Whether the function gets the response. */
  isAnswered: boolean;
}

export interface Receivers {
  sendings: Sending[];
  /** Messages that are not about the notices that were marked as being sent. */
  mistakes: string[];
  fetch(request: Request): Promise<Response>;
}

interface ReceiverOptions {
  database: Database;
  /** Carries out a request of the current invocation, unless that has died. */
  meet: <Result>(perform: () => Result) => Promise<Result>;
  faults: () => { readonly [Name in Channel]?: ChannelFault };
}

const kindsOfSentences: [RegExp, string][] = [
  [/is in use and expires at/, "token_expires"],
  [/has been rotated but is still in use/, "rotation_unfinished"],
  [/has not been used since/, "token_unused"],
  [/is still an invitation/, "invitation_unused"],
  [/waits for an admin to confirm/, "confirmation_waiting"],
  [/was sent from another address/, "token_leaked"],
  [/not known whether these notices/, "delivery_uncertain"],
];

const events = z.object({ Entries: z.array(z.object({ Detail: z.string() })) });

/** The topic and the bus. */
export const createReceivers = ({ database, meet, faults }: ReceiverOptions): Receivers => {
  const sendings: Sending[] = [];
  const mistakes: string[] = [];

  /** The notices that are marked for the attempt under way. Earlier attempts at the same time have been settled. */
  const marked = (channel: Channel): Item[] => {
    const all = [...database.itemsOf("notices").values()].filter((item) => item[channel]?.S === "sending");
    const time = (item: Item): string => item[`${channel}_attempt_at`]?.S ?? "";
    const latest = all.map(time).toSorted().at(-1);
    return all.filter((item) => time(item) === latest);
  };

  const idsOfEvents = (body: string): string[] =>
    z.parse(events, JSON.parse(body)).Entries.map(({ Detail }) => JSON.parse(Detail).notice_id);

  const idsOfMessage = (body: string): string[] => {
    const message = new URLSearchParams(body).get("Message") ?? "";
    const sentences = message.split("\n\n").filter((part) => part.startsWith("- "));
    const items = marked("topic");
    const told = sentences.map((sentence) => {
      const kind = kindsOfSentences.find(([pattern]) => pattern.test(sentence))?.[1];
      return `${kind} ${/\?token=(\w+)$/.exec(sentence)?.[1]}`;
    });
    const expected = items.map((item) => `${item.kind?.S} ${item.token_id?.S}`);
    if (told.toSorted().join() !== expected.toSorted().join())
      mistakes.push(`a message told ${told} instead of ${expected}`);
    return items.map((item) => item.notice_id?.S ?? "");
  };

  return {
    sendings,
    mistakes,
    async fetch(request) {
      const body = await request.text();
      const channel = request.url.includes("sns") ? channels[0] : channels[1];
      const fault = faults()[channel];
      const note = (ids: string[], hasArrived: boolean, isAnswered: boolean) =>
        void sendings.push({ channel, noticeIds: ids, hasArrived, isAnswered });
      if (fault === "no connection") {
        throw new TypeError("fetch failed", { cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }) });
      }
      const noticeIds = channel === "topic" ? idsOfMessage(body) : idsOfEvents(body);
      if (fault === "refused") return new Response("Throttled", { status: 400 });
      const refusedCount = fault === "partly refused" && channel === "bus" ? Math.ceil(noticeIds.length / 2) : 0;
      const arrived = noticeIds.slice(refusedCount);
      if (fault === "lost" || fault === "lost on the way") {
        note(arrived, fault === "lost", false);
        throw new DOMException("The operation was aborted due to timeout", "TimeoutError");
      }
      // The note is made when the request is carried out, and corrected when the function gets the response.
      const sending = await meet(() => {
        const made: Sending = { channel, noticeIds: arrived, hasArrived: true, isAnswered: false };
        sendings.push(made);
        return made;
      });
      sending.isAnswered = true;
      const entries = noticeIds.map((_, index) => (index < refusedCount ? { ErrorCode: "ThrottlingException" } : {}));
      return Response.json({ Entries: entries });
    },
  };
};
