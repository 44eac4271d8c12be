import type { Run } from "../execute.ts";
import { judgeLimits, judgeUsage } from "./counters.ts";
import { judgeHistory } from "./history.ts";
import { judgeKeys } from "./keys.ts";
import { judgeNotices } from "./notices.ts";
import { judgeOwnTokens } from "./own-tokens.ts";
import { judgeResponses } from "./responses.ts";
import { judgeTokens } from "./tokens.ts";
import { judgeDeletions, judgeWrites } from "./writes.ts";

const judges = [
  judgeResponses,
  judgeWrites,
  judgeKeys,
  judgeTokens,
  judgeHistory,
  judgeOwnTokens,
  judgeLimits,
  judgeUsage,
  judgeDeletions,
  judgeNotices,
];

/** The problems of a run: everything that its callers must not observe, and everything that must not be stored. */
export const judge = (run: Run): string[] => judges.flatMap((one) => one(run));
