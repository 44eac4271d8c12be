import type * as z from "zod/mini";
import { dismissedIn } from "../../resources/tokens/dismissed-addresses.ts";
import { tokenState } from "../../resources/tokens/token-state.ts";
import type { TokenRecord } from "../../resources/tokens/token-store.ts";
import type { token } from "./responses.ts";

/** A token's record as admins see it. */
export const tokenAnswer = (record: TokenRecord): z.output<typeof token> => ({
  token_id: record.token_id,
  ip: record.ip,
  comment: record.comment,
  state: tokenState(record, new Date().toISOString()),
  issued_at: record.issued_at,
  issued_by: record.issued_by,
  expires_at: record.expires_at ?? null,
  rate_limit: record.rate_limit ?? null,
  updated_at: record.updated_at ?? null,
  updated_by: record.updated_by ?? null,
  dismissed_addresses: dismissedIn(record),
  predecessor_id: record.predecessor_id ?? null,
  rotated_at: record.rotated_at ?? null,
  rotated_by: record.rotated_by ?? null,
  successor_id: record.successor_id ?? null,
  revoked_at: record.revoked_at ?? null,
  revoked_by: record.revoked_by ?? null,
  last_used_at: record.last_used_at ?? null,
});
