import type { components } from "./api-types.ts";
import { parseBody, unknownResponse } from "./errors.ts";

type Schema = components["schemas"]["IssuedToken"];

/** A new token. */
export interface IssuedToken extends Schema {
  /** The text to send in `X-Token`. It is not enumerable, so that logging the object does not reveal it. */
  readonly token: string;
  /** Set in a file if the token did not get a later end than its predecessor, so that another rotation would not help. */
  readonly end_is_fixed?: boolean;
}

export type Lifetime = Pick<IssuedToken, "issued_at" | "expires_at">;

/** @throws {ApiFailure} if the response contains no token; the failure does not quote the response */
export const issuedTokenIn = async (response: Response): Promise<IssuedToken> => {
  const issued = issuedTokenFrom(parseBody(response, await response.text()));
  if (issued === undefined) throw unknownResponse(response, "it is not a token");
  return issued;
};

/** The token that parsed JSON describes, or `undefined` if it does not describe one. */
export const issuedTokenFrom = (json: unknown): IssuedToken | undefined => {
  if (typeof json !== "object" || json === null) return undefined;
  const { token_id, ip, issued_at, expires_at, token, end_is_fixed } = json as Record<string, unknown>;
  const isComplete = isText(token_id) && isText(ip) && isTime(issued_at) && (expires_at === null || isTime(expires_at));
  if (!isComplete || !isText(token)) return undefined;
  const issued = withHiddenToken({ token_id, ip, issued_at, expires_at }, token);
  return end_is_fixed === true ? withFixedEnd(issued) : issued;
};

export const withFixedEnd = (issued: IssuedToken): IssuedToken =>
  withHiddenToken({ ...issued, end_is_fixed: true }, issued.token);

/** A successor does not end later if an admin has brought the end of the old token forward. */
export const endsLater = ({ expires_at }: Lifetime, than: Lifetime): boolean =>
  expires_at === null || (than.expires_at !== null && Date.parse(expires_at) > Date.parse(than.expires_at));

const withHiddenToken = (described: Omit<IssuedToken, "token">, token: string): IssuedToken =>
  Object.defineProperty({ ...described, token }, "token", { enumerable: false, writable: false });

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";

const isTime = (value: unknown): value is string => isText(value) && !Number.isNaN(Date.parse(value));
