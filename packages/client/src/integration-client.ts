import type { Call, Data, Init, ListPath, Method } from "./calls.ts";
import { parseBody, requireSuccess } from "./errors.ts";
import { announcer, type OnTokenExpiring, warnOfExpiry } from "./expiry.ts";
import { defaultTimeoutMilliseconds, limited } from "./limit.ts";
import { createReads, createVersions } from "./reads.ts";
import { type CallInit, createRequests } from "./requests.ts";
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
  /** An access token that was issued for this machine's address. */
  token: string;
  /** What to do when the service is busy (`429`, `503`). Default: four attempts. */
  retry?: RetryOptions;
  /** Called once for each token and end when the token expires within 30 days. Default: a `console.warn`. */
  onTokenExpiring?: OnTokenExpiring;
  /**
   * How long a call may take, including its retries. Default: 120000, two minutes. The confirmation of an admin may take
   * another 15 minutes. A call that takes longer rejects with a `DOMException` whose name is `TimeoutError`.
   */
  timeoutMilliseconds?: number;
  /** Sends a request until the signal in its second argument aborts. Default: the global `fetch`. */
  fetch?: Fetch;
}

/**
 * Calls resolve to the body of a success. They reject with `ValidationFailed` for `422`, `PreconditionFailed` for `412` and
 * `ApiFailure` for the rest. A `key_id` that no path can carry is also a `ValidationFailed`, and nothing is sent.
 */
export interface IntegrationClient extends Calls {
  /** Replaces the token with a successor for the same address, which this client then uses. Store its text. */
  rotate(options: RotateOptions): Promise<IssuedToken>;
  /**
   * Asks an admin to confirm that this client has moved to the address that it calls from, and waits. Then the old token ends,
   * and this client uses its successor. Store its text.
   */
  move(options: MoveOptions): Promise<IssuedToken>;
  /** Ends the token. This works from any address and cannot be undone. */
  revoke(options?: RevokeOptions): Promise<void>;
}

/** The calls that every client makes, wherever its token comes from. */
export interface Calls {
  GET: Call<"get">;
  POST: Call<"post">;
  PUT: Call<"put">;
  DELETE: Call<"delete">;
  /** The pages of a list from first to last, one call per page. */
  pages<Path extends ListPath>(
    path: Path,
    ...init: Init<Path, "get">
  ): AsyncGenerator<Data<Path, "get">, void, undefined>;
}

/**
 * A client for the Integration API.
 *
 * @example
 * const client = createIntegrationClient({ baseUrl: "https://integration.example.com", token });
 * await client.POST("/api/v1/key", { body: { key_id: "1234567", v_code } });
 * const key = await client.GET("/api/v1/key/{key_id}", { params: { path: { key_id: "1234567" } } });
 * for await (const page of client.pages("/api/v1/key")) for (const { key_id } of page) console.log(key_id);
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
    // The token may have been replaced during the call. Its end then no longer matters.
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
  /** The token to send. */
  token: () => string;
  /** How long a call may take. */
  timeoutMilliseconds: number;
}

/** Makes the calls of a client from a function that sends requests. */
export const callsWith = ({ baseUrl, send, token, timeoutMilliseconds }: CallsOptions): Calls => {
  const requestFor = createRequests(baseUrl, token);
  const versions = createVersions();
  const read = createReads(send, versions);

  const GET = async (path: string, init: CallInit = {}): Promise<unknown> =>
    (await limited(timeoutMilliseconds, init, (limit) => read(requestFor("get", path, init), limit))).data;

  const write =
    (method: Method) =>
    (path: string, init: CallInit = {}): Promise<unknown> =>
      limited(timeoutMilliseconds, init, async (limit) => {
        const request = requestFor(method, path, init);
        if ("ifUnchanged" in init) {
          request.headers.set("If-Match", versions.etagOf(init.ifUnchanged, init.params?.path ?? {}));
        }
        const response = await send(request, limit);
        await requireSuccess(response);
        if (response.status === 204) return undefined;
        const data = parseBody(response, await response.text());
        versions.note(data, response.headers.get("etag"));
        return data;
      });

  const pages = async function* (path: string, init: CallInit = {}): AsyncGenerator<unknown, void, undefined> {
    let query: string | undefined;
    do {
      const request = requestFor("get", path, init, query);
      const { data, link } = await limited(timeoutMilliseconds, init, (limit) => read(request, limit));
      yield data;
      query = nextQuery(link);
    } while (query !== undefined);
  };

  return { GET, POST: write("post"), PUT: write("put"), DELETE: write("delete"), pages } as Calls;
};

/** The query of the next page in a `Link` header. The rest of the address does not count, so a link leads to no other host. */
const nextQuery = (link: string | null): string | undefined =>
  /<[^>?]*(\?[!-=?-~]*)>[^<]*?;\s*rel="?next"?\s*(?:[;,]|$)/.exec(link ?? "")?.[1];

export interface EnrolOptions extends Omit<IntegrationClientOptions, "token" | "onTokenExpiring">, MoveOptions {
  /** The text that an admin has sent: `iti_…`. It works once. */
  invitation: string;
}

/**
 * Redeems an invitation: the token is made for this machine, and nobody else sees it. If the invitation names no address, an
 * admin has to confirm the one that the service sees, by its code and within 15 minutes.
 *
 * @throws {ApiFailure} if the invitation is refused, or with the code `not_confirmed`
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
