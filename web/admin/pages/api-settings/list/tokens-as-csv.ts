import type { Token } from "../../../api/types.ts";
import { type CsvColumns, tableAsCsv } from "../../../parts/csv.ts";
import { statusNames, statusOf } from "../token/token-status.ts";

/** The columns by title. Times are RFC 3339 in UTC. A time is empty if the event hasn't happened. */
const columns: CsvColumns<Token, number> = [
  ["Token id", ({ token_id }) => token_id],
  ["Comment", ({ comment }) => comment],
  ["IP address", ({ ip }) => ip],
  ["State", (token, now) => statusNames[statusOf(token, now)]],
  ["Issued", ({ issued_at }) => issued_at],
  ["Issued by", ({ issued_by }) => issued_by],
  ["Last used", ({ last_used_at }) => last_used_at],
  ["Expires", ({ expires_at }) => expires_at],
  ["Requests per minute", ({ rate_limit }) => rate_limit],
  ["Edited", ({ updated_at }) => updated_at],
  ["Edited by", ({ updated_by }) => updated_by],
  ["Rotated", ({ rotated_at }) => rotated_at],
  ["Rotated by", ({ rotated_by }) => rotated_by],
  ["Successor", ({ successor_id }) => successor_id],
  ["Predecessor", ({ predecessor_id }) => predecessor_id],
  ["Revoked", ({ revoked_at }) => revoked_at],
  ["Revoked by", ({ revoked_by }) => revoked_by],
  ["Invitation ends", ({ invitation }) => invitation?.expires_at ?? null],
  ["Invitation redeemed", ({ invitation }) => invitation?.redeemed_at ?? null],
  ["Address to confirm", ({ request }) => request?.ip ?? null],
  ["Confirmation requested", ({ request }) => request?.requested_at ?? null],
  ["Decision", ({ request }) => request?.decision ?? null],
  ["Decided", ({ request }) => request?.decided_at ?? null],
  ["Decided by", ({ request }) => request?.decided_by ?? null],
  ["Trusted workload", ({ trust_id }) => trust_id],
];

/** Returns the tokens as CSV (RFC 4180) for spreadsheets. */
export const tokensAsCsv = (tokens: readonly Token[], now: number): string => tableAsCsv(columns, tokens, now);
