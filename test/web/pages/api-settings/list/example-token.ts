import type { ConfirmationRequest, Token } from "../../../../../web/api/types.ts";

/** An active token that never expires and was never used. */
export const exampleToken = (fields: Partial<Token> = {}): Token => ({
  token_id: "01M7ZZZZZZ0000000000000000",
  ip: "198.51.100.7",
  comment: "billing sync",
  state: "active",
  issued_at: "2026-11-20T12:00:00.000Z",
  issued_by: "admin@example.com",
  expires_at: null,
  invitation: null,
  request: null,
  rate_limit: null,
  updated_at: null,
  updated_by: null,
  predecessor_id: null,
  rotated_at: null,
  rotated_by: null,
  successor_id: null,
  revoked_at: null,
  revoked_by: null,
  last_used_at: null,
  dismissed_addresses: [],
  ...fields,
});

/** A request that nobody has decided. */
export const exampleRequest = (fields: Partial<ConfirmationRequest> = {}): ConfirmationRequest => ({
  for: "invitation",
  ip: "203.0.113.50",
  code: "K7P-4XQ",
  requested_at: "2026-11-21T11:55:00.000Z",
  expires_at: "2026-11-21T12:10:00.000Z",
  decision: null,
  decided_at: null,
  decided_by: null,
  ...fields,
});
