import type { Run } from "../execute.ts";
import { judgeRecords } from "../records/judge.ts";
import { judgeChanges } from "../records/judge-changes.ts";
import { type Done, finalClient } from "../situation.ts";
import { judgeHistory } from "./history.ts";
import { judgeKeys } from "./keys.ts";
import { judgeOwnTokens } from "./own-tokens.ts";
import { judgeTokens } from "./tokens.ts";
import { judgeWorkloads } from "./workloads.ts";
import { judgeDeletions, judgeWrites } from "./writes.ts";

/** The errors with which a valid call can be rejected. Whether the rejection was right is judged with the keys and tokens. */
const possible = new Set([
  "unavailable",
  "rate_limited",
  "ip_not_allowed",
  "too_many_requests",
  "key_not_found",
  "precondition_failed",
  "validation_failed",
  "token_expired",
  "token_revoked",
  "token_not_active",
  "token_already_rotated",
  "move_not_needed",
  "taken",
  "changed",
  "refused",
  "not found",
  "jwt_invalid",
  "jwt_refused",
  "jwt_used",
  "trust_not_found",
  "trust_ended",
  "invitation_expired",
  "invitation_revoked",
  "invitation_used",
  "request_rejected",
  "request_changed",
]);

/**
 * Checks that each function responds before its timeout, and that no call is rejected for an impossible reason. Strangers must be
 * rejected, and other callers must not be mistaken for strangers.
 */
const judgeResponses = ({ done }: Run): string[] => done.flatMap(judgeResponse);

const judgeResponse = ({ operation: { id, call, client }, answer, isTimedOut }: Done): string[] => {
  if (!answer) return isTimedOut ? [`#${id} (${call.kind}) got no response in time`] : [];
  const { status, code } = answer;
  const as = call.kind === "use" ? call.as : "itself";
  const expected = as === "wrong secret" ? "token_invalid" : as === "wrong address" ? "ip_not_allowed" : undefined;
  if (code === undefined) {
    return expected === undefined ? [] : [`#${id} got ${status} with a ${as}, and not ${expected}`];
  }
  // Nothing is in the way of the final calls.
  if (code === "unavailable" && client === finalClient) return [`#${id} (${call.kind}) found the service unavailable`];
  const isInvalid = code === "validation_failed" && call.kind !== "create" && call.kind !== "create_trust";
  if (code === expected || (possible.has(code) && !isInvalid)) return [];
  return [`#${id} (${call.kind}) was refused with ${status} ${code}`];
};

const judges = [
  judgeResponses,
  judgeWrites,
  judgeKeys,
  judgeTokens,
  judgeHistory,
  judgeOwnTokens,
  judgeWorkloads,
  judgeDeletions,
];

const recordJudges = [judgeResponses, judgeWrites, judgeRecords, judgeChanges, judgeDeletions];

/** Returns the problems of a run: everything that its callers must not observe, and everything that must not be stored. */
export const judge = (run: Run): string[] =>
  (run.schedule.isOfRecords ? recordJudges : judges).flatMap((one) => one(run));
