import { ApiError } from "../../errors/api-error.ts";
import { tokenState } from "../../resources/tokens/life-cycle.ts";
import type { TokenState } from "../../resources/tokens/token-state.ts";
import type { TokenChange, TokenRecord } from "../../resources/tokens/token-store.ts";

/**
 * The token after a change.
 *
 * @throws {ApiError} why the change does not apply to it: `token_not_found`, `token_not_active` or `token_already_rotated`
 */
export const requireChanged = ({ made, token }: TokenChange): TokenRecord => {
  if (made && token) return token;
  requireUnrotated(token, new Date().toISOString());
  throw new ApiError("unavailable", { cause: new Error("A change was refused although it applies to the token.") });
};

/** The token, if it is active and has no successor. */
export const requireUnrotated = (token: TokenRecord | undefined, now: string): TokenRecord => {
  const active = requireActive(token, now);
  const { successor_id } = active;
  if (successor_id !== undefined) throw new ApiError("token_already_rotated", { values: { successor_id } });
  return active;
};

/** The token, if it is active or still an invitation. */
export const requireLive = (token: TokenRecord | undefined, now: string): TokenRecord =>
  requireState(token, now, ["invited", "awaiting_confirmation", "active"]);

/** The token, if it is active. */
export const requireActive = (token: TokenRecord | undefined, now: string): TokenRecord =>
  requireState(token, now, ["active"]);

const requireState = (token: TokenRecord | undefined, now: string, states: readonly TokenState[]): TokenRecord => {
  if (!token) throw new ApiError("token_not_found");
  const state = tokenState(token, now);
  if (!states.includes(state))
    throw new ApiError("token_not_active", { values: { state: state.replaceAll("_", " ") } });
  return token;
};
