import type { Run } from "../execute.ts";
import type { Call } from "../schedule.ts";
import type { Done } from "../situation.ts";

const ended = ["token_expired", "token_revoked"];

/** The refusals that are documented for each call, besides those of the token. */
const documented: Record<Call["kind"], readonly string[]> = {
  create: ["validation_failed"],
  replace: ["key_not_found", "precondition_failed"],
  delete: ["key_not_found", "precondition_failed"],
  get: ["key_not_found"],
  list: [],
  use: [],
  issue: [],
  update: ["token_not_active", "token_already_rotated"],
  dismiss: ["token_not_active"],
  restore: ["token_not_active"],
  rotate: ["token_not_active", "token_already_rotated"],
  revoke: [],
  inspect: [],
  tokens: [],
  history: ["key_not_found"],
  usage: [],
  // Lambda repeats a delivery that a function could not count.
  deliver: ["Error"],
  "daily run": ["Error"],
  invite: [],
  redeem: [
    ...["invitation_expired", "invitation_revoked", "invitation_used", "ip_not_allowed"],
    ...["request_rejected", "too_many_requests"],
  ],
  "rotate own": [...ended, "ip_not_allowed", "token_already_rotated"],
  move: [
    ...[...ended, "ip_not_allowed", "token_already_rotated"],
    ...["move_not_needed", "request_rejected", "too_many_requests"],
  ],
  leave: [],
  confirm: ["request_changed", "token_not_active"],
  reject: ["request_changed", "token_not_active"],
};

const ofTokens = [...ended, "rate_limited"];

/** Every refusal is documented for its call. Strangers are refused, and others are not taken for strangers. */
export const judgeAnswers = ({ done }: Run): string[] => done.flatMap(judgeAnswer);

const judgeAnswer = ({ operation: { id, call }, answer }: Done): string[] => {
  if (!answer) return [];
  const { status, code } = answer;
  const isWithToken = call.kind === "use" || ("door" in call && call.door === "api");
  const as = call.kind === "use" ? call.as : "itself";
  const expected = as === "wrong secret" ? "token_invalid" : as === "wrong address" ? "ip_not_allowed" : undefined;
  if (code === undefined) {
    return expected === undefined ? [] : [`#${id} got ${status} with a ${as}, and not ${expected}`];
  }
  const isDocumented =
    code === "unavailable" ||
    code === expected ||
    documented[call.kind].includes(code) ||
    ("from" in call && code === "rate_limited") ||
    (isWithToken && ofTokens.includes(code));
  return isDocumented ? [] : [`#${id} (${call.kind}) was refused with ${status} ${code}`];
};
