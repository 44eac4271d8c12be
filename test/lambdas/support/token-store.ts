import { parseEntry } from "../../../lambdas/resources/history/change-entry.ts";
import type { Holder } from "../../../lambdas/resources/tokens/authenticate.ts";
import type { Phase } from "../../../lambdas/resources/tokens/token-state.ts";
import type { TokenRecord } from "../../../lambdas/resources/tokens/token-store.ts";
import { hashSecret } from "../../../lambdas/resources/tokens/token-text.ts";
import { tokens } from "../../../lambdas/resources/tokens/tokens-table.ts";
import {
  absentId,
  decided,
  hourMs,
  inMs,
  newInvitation,
  newToken,
  requestField,
} from "../../../tools/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { openTestStore } from "./database.ts";

/** The address of new tokens, the one that requests are for, and another one. */
export const [home, away, elsewhere]: [string, string, string] = ["198.51.100.7", "203.0.113.50", "192.0.2.1"];

/** The store of tokens, on a table of its own. */
export const openTokenStore = async () => {
  const table = await openTestStore(tokens);
  const { store } = table;

  const find = async (tokenId: string): Promise<TokenRecord> => {
    const record = await store.find(tokenId);
    if (!record) throw new Error("there is no such token");
    return record;
  };
  /** Stores a record, and returns it with the time of that change. */
  const stored = async (record: TokenRecord): Promise<TokenRecord> => {
    await store.insert(record, noteOf("issued"));
    return find(record.token_id);
  };

  return {
    ...table,
    find,
    stored,
    issue: (fields: Partial<TokenRecord> = {}) => stored(newToken(fields).record),
    invite: (fields: Partial<TokenRecord> = {}) => stored(newInvitation(fields).record),
    /** The last change in the history of a token. */
    async lastChange(tokenId: string) {
      const { entries } = (await store.history(tokenId)) ?? { entries: [] };
      return parseEntry(entries.at(-1) ?? "");
    },
  };
};

const invitation = { invitation_hash: hashSecret("invitation"), ip: "::" };
const requested = (...fields: Parameters<typeof requestField>) => ({ request: requestField(...fields) });

const fieldsIn: Record<Phase, () => Partial<TokenRecord>> = {
  invited: () => ({ ...invitation, expires_at: inMs(hourMs) }),
  awaiting_confirmation: () => ({ ...invitation, expires_at: inMs(hourMs), ...requested() }),
  active: () => ({}),
  moving: requested,
  move_confirmed: () => requested(decided("confirmed")),
  rotated: () => ({ successor_id: absentId(), expires_at: inMs(hourMs) }),
  replaced: () => ({ successor_id: absentId(), expires_at: inMs(-1) }),
  expired: () => ({ expires_at: inMs(-1) }),
  revoked: () => ({ revoked_at: inMs(-1), revoked_by: "admin" }),
};

/** A new token that is in this phase now, with these fields. */
export const recordIn = (phase: Phase, fields: Partial<TokenRecord> = {}): TokenRecord =>
  newToken({ ...fieldsIn[phase](), ...fields }).record;

/** Somebody who sends the secret of this token from this address. */
export const holderOf = (token: TokenRecord, ip: string, secret = "secret"): Holder => ({
  token,
  ip,
  secret,
  author: { by: `token:${token.token_id}`, from: ip, requestId: "request" },
});
