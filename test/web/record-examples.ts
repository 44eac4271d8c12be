import { tokenResponse } from "../../lambdas/admin/tokens/token-response.ts";
import { trustResponse } from "../../lambdas/admin/trusts/trust-response.ts";
import { exampleTrust as storedTrust } from "../../lambdas/domain/tokens/tokens-table.ts";
import type { Change, ConfirmationRequest, Token, Trust } from "../../web/admin/api/types.ts";

/** The time at which unit tests take place. */
export const now = Date.parse("2026-11-21T12:00:00.000Z");

export const inMinutes = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();
export const inDays = (days: number): string => inMinutes(days * 1_440);

/** An active token that never expires and was never used. */
export const exampleToken = (fields: Partial<Token> = {}): Token => ({
  ...tokenResponse({
    token_id: "01M7ZZZZZZ0000000000000000",
    secret_hash: "",
    ip: "198.51.100.7",
    comment: "billing sync",
    issued_at: "2026-11-20T12:00:00.000Z",
    issued_by: "admin@example.com",
    changed_at: "2026-11-20T12:00:00.000Z",
  }),
  ...fields,
});

/** A trusted workload without an end, which may call from any address. */
export const exampleTrust = (fields: Partial<Trust> = {}): Trust => ({
  ...trustResponse({ ...storedTrust, issued_at: inDays(-100), trusted_at: inDays(-100) }),
  ...fields,
});

/** An invitation without an address, which ends in an hour. */
export const exampleInvitation = (fields: Partial<Token> = {}): Token =>
  exampleToken({ state: "invited", ip: null, invitation: { expires_at: inMinutes(60), redeemed_at: null }, ...fields });

/** An undecided request. */
export const exampleRequest = (fields: Partial<ConfirmationRequest> = {}): ConfirmationRequest => ({
  for: "invitation",
  ip: "203.0.113.50",
  code: "K7P-4XQ",
  requested_at: inMinutes(-5),
  expires_at: inMinutes(10),
  decision: null,
  decided_at: null,
  decided_by: null,
  ...fields,
});

/** An admin's change to a token. */
export const exampleChange = (fields: Partial<Change> = {}): Change => ({
  time: "2026-11-21T10:15:30.123Z",
  kind: "revoked",
  token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  key_id: null,
  by: "admin@example.com",
  from: "198.51.100.4",
  request_id: "JKJaXmPLvHcESHA=",
  details: {},
  ...fields,
});

/** A change to a key. */
export const keyChange = (fields: Partial<Change> = {}): Change =>
  exampleChange({ kind: "created", token_id: null, key_id: "1234567", ...fields });
