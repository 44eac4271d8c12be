/* This file must not import anything that only runs on a server: the web interface uses it. */

/** Whether an id is that of a trust, and not of a token: its time is the beginning of 1970. */
export const isTrustId = (id: string): boolean => id.startsWith("0".repeat(10));
