import { randomUUID } from "node:crypto";

/** Makes an id with the form of API Gateway's: 15 characters of Base64 for URLs and a `=` (observed). */
export const newRequestId = (): string => {
  // From a UUID, because Node.js fetches the random bytes of many UUIDs at once.
  const bytes = Buffer.from(randomUUID().replaceAll("-", ""), "hex").subarray(0, 11);
  return `${bytes.toString("base64url")}=`;
};
