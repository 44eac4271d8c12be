import type { ConfirmationRequest, Token } from "../../../api/types.ts";
import { pendingRequest } from "../token/token-status.ts";

interface Pending {
  token: Token;
  request: ConfirmationRequest;
}

/** The requests that can be decided now, in the order of arrival, so that a new one does not move the buttons of the others. */
export const pendingOf = (tokens: readonly Token[], now: number): Pending[] =>
  tokens
    .flatMap((token) => {
      const request = pendingRequest(token, now);
      return request === undefined ? [] : [{ token, request }];
    })
    .sort(({ request: one }, { request: other }) => one.requested_at.localeCompare(other.requested_at));
