/* Limits that the service enforces and that the web interface offers or explains. Nothing here may depend on a server. */

/** The length of a comment in characters. */
export const commentLength = { min: 0, max: 255 };

/** The length of a client's name in characters. */
export const clientLength = { max: 64 };

/** Tokens that end within this number of days are announced to clients and admins. */
export const expiringDays = 30;

/** The longest time that a rotated token can keep working. */
export const longestGraceSeconds = 7 * 24 * 60 * 60;

/** The lengths of a trusted workload's issuer and subject in characters. */
export const issuerLength = { min: 9, max: 500 };
export const subjectLength = { min: 1, max: 500 };

/** The allowed lifetimes of a trusted workload's tokens. */
export const trustedTokenSeconds = { min: 5 * 60, max: 24 * 60 * 60 };

/** The allowed lifetimes of an invitation. */
export const invitationSeconds = { min: 5 * 60, max: 7 * 24 * 60 * 60 };
export const defaultInvitationSeconds = 24 * 60 * 60;

/** How long an admin can decide a request for an address, and how long after its confirmation a client can complete a move. */
export const requestMinutes = 15;

/** The allowed rate limits of a token, in requests per minute. */
export const limitRange = { min: 1, max: 100_000 };
