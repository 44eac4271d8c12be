import type { Change } from "../../../web/api/types.ts";

const tokenId = "01KAK3Y0V9QX8M4N2R7T5W1Y0B";

/** A change to a token by an admin. */
export const exampleChange = (fields: Partial<Change> = {}): Change => ({
  time: "2026-11-21T10:15:30.123Z",
  kind: "revoked",
  token_id: tokenId,
  key_id: null,
  by: "admin@example.com",
  from: "198.51.100.4",
  request_id: "JKJaXmPLvHcESHA=",
  details: {},
  ...fields,
});

/** A change by the client that has the token. */
export const clientChange = (fields: Partial<Change> = {}): Change =>
  exampleChange({ by: `token:${tokenId}`, from: "203.0.113.50", ...fields });

/** A change to a key. */
export const keyChange = (fields: Partial<Change> = {}): Change =>
  exampleChange({ kind: "created", token_id: null, key_id: "1234567", ...fields });
