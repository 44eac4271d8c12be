import { type Channel, channels } from "../../../../lambdas/domain/notices/notice-store.ts";
import type { Sender } from "../../../../lambdas/notices/channels.ts";
import type { Service } from "../load-service.ts";
import type { SendingFate } from "../schedule.ts";
import type { Chronicle } from "./agenda.ts";
import { currentOperation } from "./environment.ts";

/** One attempt to send notices, as the receiver and the function see it. */
export interface Sending {
  channel: Channel;
  noticeIds: string[];
  hasArrived: boolean;
  /** Whether the function got the response. */
  isAnswered: boolean;
}

interface ChannelsOptions {
  chronicle: Chronicle;
  fateOf: (operation: number, attempt: number) => SendingFate | undefined;
  /** The error with which a channel rejects notices. */
  NotSent: Service["NotSent"];
}

/** Creates the topic and the bus, on which each attempt meets its fate, and records the attempts. */
export const createChannels = ({ chronicle, fateOf, NotSent }: ChannelsOptions) => {
  const sendings: Sending[] = [];
  const attemptsOf = new Map<number, number>();
  const senders = channels.map(
    (channel): Sender => ({
      channel,
      // So small that there is more than one batch.
      batchSize: 2,
      async send(notices) {
        const operation = currentOperation();
        const attempt = attemptsOf.get(operation) ?? 0;
        attemptsOf.set(operation, attempt + 1);
        const fate = fateOf(operation, attempt) ?? "arrived";
        const ids = notices.map(({ notice_id }) => notice_id);
        chronicle.note(`#${operation} sends ${ids.join(", ")} to the ${channel}: ${fate}`);
        if (fate === "refused") throw new NotSent("The channel has refused the notices.");
        const isLost = fate === "lost" || fate === "lost on the way";
        const refused = ids.slice(0, fate === "partly refused" ? 1 : 0);
        const sent = ids.slice(refused.length);
        sendings.push({ channel, noticeIds: sent, hasArrived: fate !== "lost on the way", isAnswered: !isLost });
        if (isLost) throw new Error("There is no response.");
        return new Set(refused);
      },
    }),
  );
  return { senders, sendings };
};
