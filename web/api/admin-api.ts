import { ApiFailure, failureOf } from "./api-failure.ts";
import type { Key, KeyPage } from "./key.ts";
import type { AddressAnswer, IssuedToken, RateLimitEntry, Token, TokenPage, TokenTerms } from "./token.ts";
import type { Leak, Usage } from "./usage.ts";

interface AdminApiOptions {
  accessToken: string;
  /** Called when the service no longer takes the access token. */
  onSignInNeeded: () => void;
}

interface Call {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  query?: Record<string, string | undefined>;
  body?: object;
  signal?: AbortSignal | undefined;
}

/** API Gateway gives up after 30 seconds; a browser would wait for minutes. */
const longestWaitMs = 35_000;

/**
 * The admin door of the service. Every method throws an ApiFailure and nothing else, and none is ever repeated by itself: an
 * issue that is sent twice is two tokens.
 */
export const adminApi = ({ accessToken, onSignInNeeded }: AdminApiOptions) => {
  const call = async <Answer>(
    path: string,
    { method = "GET", query = {}, body, signal }: Call = {},
  ): Promise<Answer> => {
    const response = await answered(
      fetch(`/admin${path}${queryOf(query)}`, {
        method,
        headers: {
          Accept: "application/json",
          Authorization: `Bearer ${accessToken}`,
          ...(body && { "Content-Type": "application/json" }),
        },
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.any([AbortSignal.timeout(longestWaitMs), ...(signal ? [signal] : [])]),
      }),
    );
    if (response.status === 401) onSignInNeeded();
    if (!response.ok) throw await failureOf(response);
    const text = await answered(response.text());
    // Nothing is answered to a deletion.
    return JSON.parse(text || "null");
  };

  return {
    listTokens: (cursor?: string) => call<TokenPage>("/tokens", { query: { limit: "1000", cursor } }),
    getToken: (id: string) => call<Token>(`/tokens/${encodeURIComponent(id)}`),
    getUsage: (id: string, hours: number) =>
      call<Usage>(`/tokens/${encodeURIComponent(id)}/usage`, { query: { hours: String(hours) } }),
    listLeaks: () => call<{ leaks: Leak[] }>("/leaks"),
    issueToken: (terms: TokenTerms) => call<IssuedToken>("/tokens", { method: "POST", body: terms }),
    revokeToken: (id: string) => call<Token>(`/tokens/${encodeURIComponent(id)}`, { method: "DELETE" }),
    limitToken: (id: string, limit: RateLimitEntry) =>
      call<Token>(`/tokens/${encodeURIComponent(id)}`, { method: "PUT", body: { rate_limit: limit } }),
    rotateToken: (id: string, graceSeconds: number) =>
      call<IssuedToken>(`/tokens/${encodeURIComponent(id)}/rotate`, {
        method: "POST",
        body: { grace_seconds: graceSeconds },
      }),

    /** The caller's own address; with `ip`, a failure at the field `ip` if no token can be bound to it. */
    checkAddress: (ip?: string, signal?: AbortSignal) => call<AddressAnswer>("/address", { query: { ip }, signal }),

    listKeys: (limit: number, cursor?: string) => call<KeyPage>("/keys", { query: { limit: String(limit), cursor } }),
    getKey: (id: string) => call<Key>(`/keys/${encodeURIComponent(id)}`),
    addKey: (id: string, vCode: string) => call<Key>("/keys", { method: "POST", body: { key_id: id, v_code: vCode } }),
    replaceKey: (id: string, vCode: string) =>
      call<Key>(`/keys/${encodeURIComponent(id)}`, { method: "PUT", body: { v_code: vCode } }),
    deleteKey: (id: string) => call<void>(`/keys/${encodeURIComponent(id)}`, { method: "DELETE" }),
  };
};

export type AdminApi = ReturnType<typeof adminApi>;

/** What comes of a call, unless the connection breaks before the answer is there. */
const answered = <Value>(value: Promise<Value>): Promise<Value> =>
  value.catch((cause: unknown) => {
    const message = navigator.onLine ? "The service did not answer. Check your connection." : "You are offline.";
    throw new ApiFailure({ code: "no_answer", message, cause });
  });

const queryOf = (query: Record<string, string | undefined>): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
};
