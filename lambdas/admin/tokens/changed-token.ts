import type { ChangeNote } from "../../domain/history/change-entry.ts";
import type { TokenChangeKind } from "../../domain/history/change-kinds.ts";
import { untilMade } from "../../domain/tokens/by-client/client-changes.ts";
import { tokenState } from "../../domain/tokens/life-cycle.ts";
import type { TokenState } from "../../domain/tokens/token-state.ts";
import type { TokenRecord, TokenStore, TokenUpdate } from "../../domain/tokens/token-store.ts";
import { ApiError, otherError } from "../../shared/errors/api-error.ts";

interface Edit {
  token_id: string;
  note: ChangeNote<TokenChangeKind>;
  /** Returns the change to a token's current record, or the reason why it is rejected; `undefined` if nothing needs to change. */
  edit: (seen: TokenRecord, now: string) => TokenUpdate | undefined;
}

/**
 * Edits an active token, and returns its new record. If another change is made first, reads the token again and retries.
 *
 * @throws {ApiError} `token_not_found`, `token_not_active`, or `unavailable` if other changes keep being made first
 */
export const editToken = async (
  tokens: Pick<TokenStore, "find" | "update">,
  { token_id, note, edit }: Edit,
): Promise<TokenRecord> => {
  const found = requireActive(await tokens.find(token_id), new Date().toISOString());
  const { edited } = await untilMade<{ edited: TokenRecord }>(found, async (current, now) => {
    const seen = requireActive(current, now);
    const fields = edit(seen, now);
    if (!fields) return { edited: seen };
    const by = { updated_at: now, updated_by: note.author.by };
    const { made, token } = await tokens.update(token_id, { ...fields, ...by }, note, seen);
    return made && token ? { edited: token } : { current: token };
  });
  return edited;
};

/** Returns the token if it is active and has no successor. */
export const requireUnrotated = (token: TokenRecord | undefined, now: string): TokenRecord => {
  const active = requireActive(token, now);
  const { successor_id } = active;
  if (successor_id !== undefined) throw new ApiError("token_already_rotated", { values: { successor_id } });
  return active;
};

/** Returns the token if it is active or still an invitation. */
export const requireLive = (token: TokenRecord | undefined, now: string): TokenRecord =>
  requireState(token, now, ["invited", "awaiting_confirmation", "active"]);

const requireActive = (token: TokenRecord | undefined, now: string): TokenRecord =>
  requireState(token, now, ["active"]);

const requireState = (token: TokenRecord | undefined, now: string, states: readonly TokenState[]): TokenRecord => {
  if (!token) throw otherError("token_not_found");
  const state = tokenState(token, now);
  if (!states.includes(state)) throw otherError("token_not_active", { values: { state: state.replaceAll("_", " ") } });
  return token;
};
