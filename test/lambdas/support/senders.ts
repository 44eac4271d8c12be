import type { Notice } from "../../../lambdas/domain/notices/notice.ts";
import type { Channel } from "../../../lambdas/domain/notices/notices-table.ts";
import { NotSent, type Sender } from "../../../lambdas/notices/channels.ts";

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
