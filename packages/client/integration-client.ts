import LinkHeader from "http-link-header";
import createClient, { type MaybeOptionalInit } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod, RequiredKeysOf, SuccessResponse } from "openapi-typescript-helpers";
import type { paths } from "./api-types.ts";
import { requireSuccess } from "./errors.ts";
import { assertPathParameters, fillPath } from "./path-parameters.ts";
import { type RetryOptions, retrying } from "./retry.ts";

export type { components, paths } from "./api-types.ts";
export { ApiFailure, type ErrorCode, type FieldMessages, ValidationFailed } from "./errors.ts";
export type { Retry, RetryOptions } from "./retry.ts";

export interface IntegrationClientOptions {
  /** The service's address, without `/api`: `https://integration.example.com`. */
  baseUrl: string;
  /** An access token that was issued for this machine's address. */
  token: string;
  /** What to do when the service is busy (`429`, `503`). Default: four attempts. */
  retry?: RetryOptions;
  /** Sends a request. Default: Node.js's `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * A call in the style of openapi-fetch: the path as written in the documentation, then `params`, `body` and, to make the
 * call cancellable, `signal`.
 */
type Call<Method extends HttpMethod> = <Path extends PathsWithMethod<paths, Method>>(
  path: Path,
  ...init: Init<MaybeOptionalInit<paths[Path], Method>>
) => Promise<Data<Path, Method>>;

type Init<Options> = RequiredKeysOf<Options> extends never ? [Options?] : [Options];

/** The body of a success, or `undefined` if it has none. */
type Data<Path extends keyof paths, Method extends HttpMethod> = paths[Path] extends {
  [M in Method]: { responses: infer Responses extends Record<number, unknown> };
}
  ? SuccessResponse<Responses, "application/json">
  : never;

interface CallOptions {
  params?: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  headers?: Headers | Record<string, string>;
  signal?: AbortSignal | null;
  [option: string]: unknown;
}

/** The paths whose `GET` returns a list. */
type ListPath = {
  [Path in PathsWithMethod<paths, "get">]: Data<Path, "get"> extends unknown[] ? Path : never;
}[PathsWithMethod<paths, "get">];

/**
 * Calls resolve to the body of a success. They reject with `ValidationFailed` for `422` and `ApiFailure` for the rest. A
 * `key_id` that no path can carry is also a `ValidationFailed`, and nothing is sent.
 */
export interface IntegrationClient {
  GET: Call<"get">;
  POST: Call<"post">;
  PUT: Call<"put">;
  DELETE: Call<"delete">;
  /** The pages of a list from first to last, one call per page. */
  pages<Path extends ListPath>(
    path: Path,
    ...init: Init<MaybeOptionalInit<paths[Path], "get">>
  ): AsyncGenerator<Data<Path, "get">, void, undefined>;
}

/**
 * A client for the Integration API.
 *
 * @example
 * const client = createIntegrationClient({ baseUrl: "https://integration.example.com", token: process.env.TOKEN ?? "" });
 * await client.POST("/api/v1/key", { body: { key_id: "1234567", v_code } });
 * const key = await client.GET("/api/v1/key/{key_id}", { params: { path: { key_id: "1234567" } } });
 * for await (const page of client.pages("/api/v1/key")) for (const { key_id } of page) console.log(key_id);
 */
export const createIntegrationClient = ({
  baseUrl,
  token,
  retry = {},
  fetch = globalThis.fetch,
}: IntegrationClientOptions): IntegrationClient => {
  const sendRetrying = retrying(fetch, retry);
  const send = async (request: Request): Promise<Response> => {
    request.headers.set("Accept", "application/json");
    request.headers.set("X-Token", token);
    if (request.body) request.headers.set("Content-Type", "application/x-www-form-urlencoded");
    return requireSuccess(await sendRetrying(request));
  };

  // A redirect means that something is wrong, and the token must not be sent anywhere else.
  const options = { redirect: "manual" } as const;
  // `IntegrationClient` has the types of the paths; the handling of a request does not depend on them.
  const client = createClient<Record<string, Record<HttpMethod, object>>>({
    ...options,
    baseUrl,
    fetch: send,
    bodySerializer: (form: unknown) => new URLSearchParams(Object.entries(form ?? {})).toString(),
  });
  const call =
    (method: HttpMethod) =>
    async (path: string, init: CallOptions = {}): Promise<unknown> =>
      (await client.request(method, path, prepare(path, init))).data;

  const pages = async function* (path: string, init: CallOptions = {}): AsyncGenerator<unknown, void, undefined> {
    const { data, response } = await client.request("get", path, prepare(path, init));
    yield data;
    let next = nextPage(response);
    while (next !== undefined) {
      const page = await send(new Request(next, { ...options, signal: init.signal ?? null }));
      yield await page.json();
      next = nextPage(page);
    }
  };

  return { GET: call("get"), POST: call("post"), PUT: call("put"), DELETE: call("delete"), pages } as IntegrationClient;
};

/** Checks what a call is about, and repeats its path in a header so that the service notices if the path is changed. */
const prepare = (path: string, init: CallOptions): CallOptions => {
  const { body, params: { path: parameters } = {} } = init;
  const created = typeof body === "object" && body !== null && "key_id" in body ? { key_id: body.key_id } : {};
  assertPathParameters({ ...created, ...parameters });
  if (parameters === undefined) return init;
  const headers = new Headers(init.headers);
  headers.set("X-Sent-Path", fillPath(path, parameters));
  return { ...init, headers };
};

/** RFC 8288: the address of the next page. */
const nextPage = ({ url, headers }: Response): URL | undefined => {
  const [next] = LinkHeader.parse(headers.get("link") ?? "").rel("next");
  if (!next) return undefined;
  const page = new URL(next.uri, url);
  if (page.origin !== new URL(url).origin) throw new Error(`The next page is on another host, ${page.origin}.`);
  return page;
};
