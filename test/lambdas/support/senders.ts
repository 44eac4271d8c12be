import { NotSent, type Sender } from "../../../lambdas/functions/notices/channels.ts";
import type { Notice } from "../../../lambdas/resources/notices/notice.ts";
import type { Channel } from "../../../lambdas/resources/notices/notice-store.ts";

/** The result of an attempt to send. A `lost` one may have been sent. */
export type Fate = "sent" | "refused" | "lost";

export interface TestSender extends Sender {
  /** The results of the next attempts. Later attempts succeed. */
  fates: Fate[];
  /** The notices of each attempt that may have been sent. */
  attempts: Notice[][];
}

/** Creates a sender whose attempts have these results, and then succeed. */
export const senderWith = (channel: Channel, fates: Fate[] = []): TestSender => {
  const attempts: Notice[][] = [];
  return {
    channel,
    batchSize: 2,
    fates,
    attempts,
    async send(notices) {
      const fate = fates.shift() ?? "sent";
      if (fate === "refused") throw new NotSent("refused");
      attempts.push([...notices]);
      if (fate === "lost") throw new Error("the response was lost");
      return new Set();
    },
  };
};
