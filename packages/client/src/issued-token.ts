import type { components } from "./api-types.ts";
import { parseBody, unknownResponse } from "./errors.ts";

type Schema = components["schemas"]["IssuedToken"];

/** A new token. */
export interface IssuedToken extends Schema {
  /** The text to send in `X-Token`. It is not enumerable, so that logging the object does not reveal it. */
  readonly token: string;
}

/** @throws {ApiFailure} if the response contains no token; the failure does not quote the response */
export const issuedTokenIn = async (response: Response): Promise<IssuedToken> => {
  const issued = issuedTokenFrom(parseBody(response, await response.text()));
  if (issued === undefined) throw unknownResponse(response, "it is not a token");
  return issued;
};

/** The token that parsed JSON describes, or `undefined` if it does not describe one. */
export const issuedTokenFrom = (json: unknown): IssuedToken | undefined => {
  if (typeof json !== "object" || json === null) return undefined;
  const { token_id, ip, issued_at, expires_at, token } = json as Record<string, unknown>;
  const isComplete = isText(token_id) && isText(ip) && isTime(issued_at) && (expires_at === null || isTime(expires_at));
  if (!isComplete || !isText(token)) return undefined;
  return withHiddenToken({ token_id, ip, issued_at, expires_at }, token);
};

const withHiddenToken = (described: Omit<IssuedToken, "token">, token: string): IssuedToken =>
  Object.defineProperty({ ...described, token }, "token", { enumerable: false, writable: false });

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const isTime = (value: unknown): value is string => isText(value) && !Number.isNaN(Date.parse(value));
