import type { Call, CallOptions, Data, Init, ListPath, Method } from "./calls.ts";
import { type Changes, changesWith } from "./changes.ts";
import { announcer, type OnTokenExpiring, warnOfExpiry } from "./expiry.ts";
import { defaultTimeoutMilliseconds, limited } from "./limit.ts";
import { createReads, createVersions } from "./reads.ts";
import { createRequests, type Sent } from "./requests.ts";
import { type Facts, factsOf, resultIn } from "./results.ts";
import { type RetryOptions, retrying } from "./retry.ts";
import {
  createTokenCalls,
  type IssuedToken,
  type MoveOptions,
  type RevokeOptions,
  type RotateOptions,
} from "./token-calls.ts";
import { createTransport, type Fetch, type Send } from "./transport.ts";

export interface IntegrationClientOptions {
  /** The service's address, without `/api`: `https://integration.example.com`. */
  baseUrl: string;
  /** An access token issued for this machine's address. */
  token: string;
  /** What to do when the service is busy (`429`, `503`). Default: up to four attempts. */
  retry?: RetryOptions;
  /** Called once for each token and expiry date when the token expires within 30 days. Default: a `console.warn`. */
  onTokenExpiring?: OnTokenExpiring;
  /**
   * The timeout of a call, including its retries. Default: 120000 (two minutes). Waiting for an admin's confirmation may take
   * another 15 minutes. On a timeout, the call rejects with a `DOMException` named `TimeoutError`.
   */
  timeoutMilliseconds?: number;
  /** Sends a request until the signal in its second argument aborts. Default: the global `fetch`. */
  fetch?: Fetch;
}

/**
 * Calls resolve to the body of a successful response. They reject with `ValidationFailed` for `422`, `PreconditionFailed` for `412`
 * and `ApiFailure` for all other errors. An id that can't be part of a path also rejects with `ValidationFailed`, and nothing
 * is sent.
 */
export interface IntegrationClient extends Calls {
  /** Replaces the token with a successor for the same address. This client then uses the successor. Store its value. */
  rotate(options: RotateOptions): Promise<IssuedToken>;
  /**
   * Asks an admin to confirm that this client has moved to the address that it calls from, and waits. Then the old token ends and
   * this client uses its successor. Store the successor's value.
   */
  move(options: MoveOptions): Promise<IssuedToken>;
  /** Revokes the token. This works from any address and can't be undone. */
  revoke(options?: RevokeOptions): Promise<void>;
}

/** The calls that every client makes, regardless of where its token comes from. */
export interface Calls {
  GET: Call<"GET">;
  POST: Call<"POST">;
  PUT: Call<"PUT">;
  PATCH: Call<"PATCH">;
  DELETE: Call<"DELETE">;
  /** Iterates over the pages of a list from first to last, with one call per page. */
  pages<Path extends ListPath>(
    path: Path,
    ...init: Init<Path, "GET">
  ): AsyncGenerator<Data<Path, "GET">, void, undefined>;
  /**
   * Iterates over what has changed since a cursor, page by page, until there is no more. Store the `cursor` of each page once you have
   * applied the page, and continue from it later. Rejects with `CursorExpired` if that is no longer possible.
   */
  changes: Changes;
}

/**
 * A client for the Integration API.
 *
 * @example
 * const client = createIntegrationClient({ baseUrl: "https://integration.example.com", token });
 * const { ip } = await client.GET("/api/v1/token");
 */
export const createIntegrationClient = ({
  baseUrl,
  token,
  retry = {},
  onTokenExpiring = warnOfExpiry,
  timeoutMilliseconds = defaultTimeoutMilliseconds,
  fetch = globalThis.fetch,
}: IntegrationClientOptions): IntegrationClient => {
  const transport = createTransport(fetch, timeoutMilliseconds);
  const calls = createTokenCalls({ baseUrl, transport, retry, timeoutMilliseconds });
  let text = token;
  const replaceBy = (issued: IssuedToken): IssuedToken => {
    text = issued.token;
    return issued;
  };
  const announce = announcer(onTokenExpiring);
  const send: Send = async (request, limit) => {
    const used = request.headers.get("X-Token");
    const response = await transport(request, limit);
    // If the token was replaced during the call, its expiry no longer matters.
    if (used === text.trim()) announce(response, used);
    return response;
  };
  return {
    ...callsWith({ baseUrl, send: retrying(send, retry), token: () => text, timeoutMilliseconds }),
    rotate: async (options) => replaceBy(await calls.rotate(text, options)),
    move: async (options) => replaceBy(await calls.move(text, options)),
    revoke: (options) => calls.revoke(text, options),
  };
};

interface CallsOptions {
  baseUrl: string;
  send: Send;
  /** Returns the token to send. */
  token: () => string;
  /** The timeout of a call. */
  timeoutMilliseconds: number;
}

/** Creates a client's calls from a function that sends requests. */
export const callsWith = ({ baseUrl, send, token, timeoutMilliseconds }: CallsOptions): Calls => {
  const requestFor = createRequests(baseUrl, token);
  const versions = createVersions();
  const read = createReads(send, versions);

  const get = async (path: string, init: CallInit, query?: string) => {
    const request = requestFor("GET", path, sentBy(init, {}), query);
    const facts = factsOf("GET", path);
    const { response, ...result } = await limited(timeoutMilliseconds, init, (limit) => read(request, limit, facts));
    init.onResponse?.(response);
    return result;
  };

  const GET = async (path: string, init: CallInit = {}): Promise<unknown> => (await get(path, init)).data;

  const write =
    (method: Method) =>
    async (path: string, init: CallInit = {}): Promise<unknown> => {
      const facts = factsOf(method, path);
      const [data, response] = await limited(timeoutMilliseconds, init, async (limit) => {
        const request = requestFor(method, path, sentBy(init, facts));
        if ("ifUnchanged" in init) {
          request.headers.set("If-Match", versions.etagOf(init.ifUnchanged, init.params?.path ?? {}));
        }
        const response = await send(request, { ...limit, isRepeatable: facts.repeatable ?? false });
        const { data } = await resultIn(response, request.url, facts);
        versions.note(data, response.headers.get("etag"));
        return [data, response] as const;
      });
      init.onResponse?.(response);
      return data;
    };

  const pages = async function* (path: string, init: CallInit = {}): AsyncGenerator<unknown, void, undefined> {
    let query: string | undefined;
    do {
      const { data, link } = await get(path, init, query);
      yield data;
      query = nextQuery(link);
    } while (query !== undefined);
  };

  return {
    GET,
    POST: write("POST"),
    PUT: write("PUT"),
    PATCH: write("PATCH"),
    DELETE: write("DELETE"),
    pages,
    changes: changesWith(GET),
  } as Calls;
};

/** The options of all calls. */
interface CallInit extends CallOptions, Pick<Sent, "params"> {
  body?: Record<string, unknown>;
  ifUnchanged?: unknown;
}

const sentBy = ({ params = {}, headers, body }: CallInit, { form }: Facts): Sent => ({
  params,
  ...(headers && { headers }),
  ...(body && { [form ? "form" : "json"]: body }),
});

/**
 * Returns the query of the next page in a `Link` header. The rest of the address is ignored, so a link can't lead to another host.
 */
const nextQuery = (link: string | null): string | undefined =>
  /<[^>?]*(\?[!-=?-~]*)>[^<]*?;\s*rel="?next"?\s*(?:[;,]|$)/.exec(link ?? "")?.[1];

export interface EnrolOptions extends Omit<IntegrationClientOptions, "token" | "onTokenExpiring">, MoveOptions {
  /** The invitation that an admin has sent: `iti_…`. It works once. */
  invitation: string;
}

/**
 * Redeems an invitation. The token is created for this machine, and nobody else sees it. If the invitation names no address, an
 * admin must confirm the address that the service sees. The admin compares its code and has 15 minutes.
 *
 * @throws {ApiFailure} if the invitation is rejected, or with the code `not_confirmed`
 *
 * @example
 * const { token } = await enrol({
 *   baseUrl: "https://integration.example.com",
 *   invitation,
 *   onConfirmation: ({ ip, code }) => console.log(`Tell the admin: ${ip}, ${code}`),
 * });
 */
export const enrol = ({
  baseUrl,
  invitation,
  retry = {},
  timeoutMilliseconds = defaultTimeoutMilliseconds,
  fetch = globalThis.fetch,
  ...options
}: EnrolOptions): Promise<IssuedToken> => {
  const transport = createTransport(fetch, timeoutMilliseconds);
  return createTokenCalls({ baseUrl, transport, retry, timeoutMilliseconds }).redeem(invitation, options);
};
