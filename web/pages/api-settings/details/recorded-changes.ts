import type { PastChange, Token } from "../../../api/types.ts";
import { authorOf } from "../../../parts/author.ts";
import { hasMoved } from "../token/token-status.ts";

const beginnings: readonly PastChange["kind"][] = ["issued", "invited", "succeeded", "exchanged"];

/** How much the times of the same change in a record may differ. */
const sameMs = 10_000;

/**
 * Adds the changes that the fields of a token's record tell of, unless its history is complete. Earlier releases of the service
 * kept no history, so the fields are all there is about the changes that they made.
 *
 * @param changes newest first
 */
export const withRecordedChanges = (token: Token, changes: readonly PastChange[]): PastChange[] => {
  if (changes.some(({ kind }) => beginnings.includes(kind))) return [...changes];
  const others = recordedChanges(token).filter((recorded) => !changes.some((change) => isSame(recorded, change)));
  return [...changes, ...others].toSorted((one, other) => other.time.localeCompare(one.time));
};

/** Whether what a record says is in the history. A record calls more changes an edit than the history does. */
const isSame = (recorded: PastChange, { kind, time }: PastChange): boolean =>
  (recorded.kind === kind || recorded.kind === "updated") &&
  Math.abs(Date.parse(recorded.time) - Date.parse(time)) < sameMs;

const recordedChanges = (token: Token): PastChange[] => {
  const { token_id, ip, invitation, updated_at, updated_by, revoked_at, revoked_by } = token;
  const dismissals = token.dismissed_addresses.map(
    ({ ip, dismissed_at: time, dismissed_by: by }): Noted => ({ kind: "leak_dismissed", time, by, details: { ip } }),
  );
  const noted: Noted[] = [
    beginningOf(token),
    { kind: "redeemed", time: invitation?.redeemed_at, by: `token:${token_id}:${ip}` },
    ...requestOf(token),
    // A dismissal is an edit, too.
    { kind: "updated", time: dismissals.some(({ time }) => time === updated_at) ? null : updated_at, by: updated_by },
    ...dismissals,
    successionOf(token),
    { kind: "revoked", time: revoked_at, by: revoked_by },
  ];
  return noted.flatMap(({ kind, time, by, details = {} }) => {
    if (!time || !by) return [];
    const author = authorOf(by);
    const from = author.type === "client" ? (author.ip ?? null) : null;
    const request_id = author.type === "invocation" ? author.requestId : null;
    const texts = Object.entries(details).flatMap(([name, text]) => (text ? [[name, text] as const] : []));
    return [{ kind, time, by, from, request_id, token_id, key_id: null, details: Object.fromEntries(texts) }];
  });
};

/** A change as a record has it: without a time and a person if it was not made. */
interface Noted {
  kind: PastChange["kind"];
  time: string | null | undefined;
  by: string | null;
  details?: Readonly<Record<string, string | null>>;
}

const beginningOf = ({ ip, predecessor_id, invitation, request, issued_at, issued_by }: Token): Noted => {
  // If the address was confirmed later, the invitation had none.
  const address = request?.for === "invitation" ? null : ip;
  const kind = invitation ? "invited" : predecessor_id ? "succeeded" : "issued";
  return { kind, time: issued_at, by: issued_by, details: { ip: address, predecessor_id } };
};

/** The last request for a confirmation, and what was decided. */
const requestOf = ({ token_id, request }: Token): Noted[] => {
  if (request === null) return [];
  const { ip, code, requested_at, decision, decided_at, decided_by } = request;
  const details = { ip, code };
  const asked: Noted = { kind: "requested", time: requested_at, by: `token:${token_id}:${ip}`, details };
  return decision === null ? [asked] : [asked, { kind: decision, time: decided_at, by: decided_by, details }];
};

const successionOf = (token: Token): Noted => {
  const { rotated_at: time, rotated_by: by, successor_id, expires_at, request } = token;
  return hasMoved(token) && request
    ? { kind: "moved", time, by, details: { ip: request.ip, successor_id } }
    : { kind: "rotated", time, by, details: { successor_id, expires_at } };
};
