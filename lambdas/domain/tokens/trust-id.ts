/* The web interface uses this file, so it must not import anything that only runs on a server. */

/**
 * Checks whether an id belongs to a trust instead of a token. The id of a trust begins with ten zeros, which is a time at the
 * beginning of 1970.
 */
export const isTrustId = (id: string): boolean => id.startsWith("0".repeat(10));
