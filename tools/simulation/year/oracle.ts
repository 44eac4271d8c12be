/*
 * The notices that are due according to the documentation. This is written independently of the functions, and uses none of
 * their code.
 */

/** The knowledge of people about a token or an invitation. Times are Unix milliseconds. */
export interface Known {
  token_id: string;
  issuedAt: number;
  /** When it began to work; undefined for an invitation that nobody has redeemed. */
  beganAt?: number | undefined;
  invitationEndsAt?: number | undefined;
  expiresAt: number | null;
  lastUsedAt?: number | undefined;
  rotated?: { at: number; successorId: string } | undefined;
  isRevoked: boolean;
  /** A request for a confirmation that nobody has decided. */
  waiting?: { requestedAt: number; endsAt: number } | undefined;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const text = (time: number): string => new Date(time).toISOString();

/** The ids of the notices that are due for a token at a time. */
export const dueFor = (token: Known, now: number): string[] => {
  if (token.isRevoked) return [];
  const due: string[] = [];
  const isWaiting = token.waiting !== undefined && now < token.waiting.endsAt;
  const wait = `confirmation_waiting:${token.token_id}:${text(token.waiting?.requestedAt ?? 0)}`;

  if (token.beganAt === undefined) {
    const { issuedAt, invitationEndsAt = 0 } = token;
    if (now >= invitationEndsAt) return [];
    if (isWaiting) return [wait];
    const isLate = now - issuedAt >= invitationEndsAt - now;
    return isLate ? [`invitation_unused:${token.token_id}:${text(invitationEndsAt)}`] : [];
  }

  const { beganAt, expiresAt, lastUsedAt, rotated } = token;
  if (expiresAt !== null && now >= expiresAt) return [];
  if (rotated) {
    const isUsedSince = lastUsedAt !== undefined && lastUsedAt > rotated.at;
    const isNear = expiresAt !== null && now + dayMs >= expiresAt;
    return isUsedSince && isNear ? [`rotation_unfinished:${token.token_id}:${rotated.successorId}`] : [];
  }
  if (isWaiting) due.push(wait);
  const lastSign = lastUsedAt ?? beganAt;
  const isIdle = now >= lastSign + 90 * dayMs;
  if (isIdle) due.push(`token_unused:${token.token_id}:${text(lastSign)}`);
  if (expiresAt !== null && lastUsedAt !== undefined && !isIdle) {
    const lifetime = expiresAt - beganAt;
    const left = expiresAt - now;
    const period = left <= dayMs && lifetime > dayMs ? 1 : left <= 7 * dayMs && lifetime > 7 * dayMs ? 7 : 30;
    const isDue = left <= period * dayMs && lifetime > period * dayMs;
    if (isDue) due.push(`token_expires:${token.token_id}:${text(expiresAt)}:${period}`);
  }
  return due;
};
