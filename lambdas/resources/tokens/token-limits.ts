/*
 * Limits that the service enforces and that the web interface offers or explains. Nothing here may need a server.
 */

/** The characters of a comment. */
export const commentLength = { min: 0, max: 255 };

/** The longest time for which a rotated token keeps working. */
export const longestGraceSeconds = 7 * 24 * 60 * 60;

/** The characters of the issuer and of the subject of a trusted workload. */
export const issuerLength = { min: 9, max: 500 };
export const subjectLength = { min: 1, max: 500 };

/** How long the tokens of a trusted workload may live. */
export const trustedTokenSeconds = { min: 5 * 60, max: 24 * 60 * 60 };

/** How long an invitation may work. */
export const invitationSeconds = { min: 5 * 60, max: 7 * 24 * 60 * 60 };
export const defaultInvitationSeconds = 24 * 60 * 60;

/** How long a request for an address can be decided, and how long after its confirmation a move can be completed. */
export const requestMinutes = 15;

/** How many requests per minute a token may be allowed. */
export const limitRange = { min: 1, max: 100_000 };
