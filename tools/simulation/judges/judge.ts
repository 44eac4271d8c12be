import type { Run } from "../execute.ts";
import { judgeAnswers } from "./answers.ts";
import { judgeDeletions } from "./deletions.ts";
import { judgeHistory } from "./history.ts";
import { judgeKeys } from "./keys.ts";
import { judgeLimits } from "./limits.ts";
import { judgeNotices } from "./notices.ts";
import { judgeRequests } from "./requests.ts";
import { judgeSuccessions } from "./successions.ts";
import { judgeTokens } from "./tokens.ts";
import { judgeUsage } from "./usage.ts";
import { judgeWrites } from "./writes.ts";

const judges = [
  judgeAnswers,
  judgeWrites,
  judgeKeys,
  judgeTokens,
  judgeHistory,
  judgeSuccessions,
  judgeRequests,
  judgeLimits,
  judgeUsage,
  judgeDeletions,
  judgeNotices,
];

/** The problems of a run. Each begins with the name of the promise that it breaks. */
export const judge = (run: Run): string[] => judges.flatMap((one) => one(run));
