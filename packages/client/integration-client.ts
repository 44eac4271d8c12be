import LinkHeader from "http-link-header";
import createClient, { type MaybeOptionalInit } from "openapi-fetch";
import type { HttpMethod, PathsWithMethod, RequiredKeysOf, SuccessResponse } from "openapi-typescript-helpers";
import type { paths } from "./api-types.ts";
import { requireSuccess } from "./errors.ts";
import { type RetryOptions, retrying } from "./retry.ts";

export type { components, paths } from "./api-types.ts";
export { ApiFailure, type ErrorCode, type FieldMessages, ValidationFailed } from "./errors.ts";
export type { Retry, RetryOptions } from "./retry.ts";

export interface IntegrationClientOptions {
  /** Where the service is, without `/api`: `https://integration.example.com`. */
  baseUrl: string;
  /** An access token that belongs to the address of this machine. */
  token: string;
  /** What happens when the service is busy (`429`, `503`): four attempts unless told otherwise. */
  retry?: RetryOptions;
  /** Sends a request; Node.js's own unless told otherwise. */
  fetch?: (request: Request) => Promise<Response>;
}

/**
 * A call as openapi-fetch has it: the path as the documentation writes it, then `params`, `body` and, if it should be
 * possible to give up on it, `signal`.
 */
type Call<Method extends HttpMethod> = <Path extends PathsWithMethod<paths, Method>>(
  path: Path,
  ...init: Init<MaybeOptionalInit<paths[Path], Method>>
) => Promise<Data<Path, Method>>;

type Init<Options> = RequiredKeysOf<Options> extends never ? [Options?] : [Options];

/** The body of a success; `undefined` where there is none. */
type Data<Path extends keyof paths, Method extends HttpMethod> = paths[Path] extends {
  [M in Method]: { responses: infer Responses extends Record<number, unknown> };
}
  ? SuccessResponse<Responses, "application/json">
  : never;

interface CallOptions {
  signal?: AbortSignal | null;
  [option: string]: unknown;
}

/** The paths whose `GET` answers a list. */
type ListPath = {
  [Path in PathsWithMethod<paths, "get">]: Data<Path, "get"> extends unknown[] ? Path : never;
}[PathsWithMethod<paths, "get">];

/** Every call answers the body of a success. It rejects with `ValidationFailed` for a `422`, `ApiFailure` for the rest. */
export interface IntegrationClient {
  GET: Call<"get">;
  POST: Call<"post">;
  PUT: Call<"put">;
  DELETE: Call<"delete">;
  /** The pages of a list, one call each, from the first to the last. */
  pages<Path extends ListPath>(
    path: Path,
    ...init: Init<MaybeOptionalInit<paths[Path], "get">>
  ): AsyncGenerator<Data<Path, "get">, void, undefined>;
}

/**
 * A client of the Integration API.
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

  // A redirect means that something is wrong, and the token is for nobody else.
  const options = { redirect: "manual" } as const;
  // The types of the paths stand in `IntegrationClient`; what happens to a request does not depend on them.
  const client = createClient<Record<string, Record<HttpMethod, object>>>({
    ...options,
    baseUrl,
    fetch: send,
    bodySerializer: (form: unknown) => new URLSearchParams(Object.entries(form ?? {})).toString(),
  });
  const call =
    (method: HttpMethod) =>
    async (path: string, init: CallOptions = {}): Promise<unknown> =>
      (await client.request(method, path, init)).data;

  const pages = async function* (path: string, init: CallOptions = {}): AsyncGenerator<unknown, void, undefined> {
    const { data, response } = await client.request("get", path, init);
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

/** RFC 8288: the address of the next page. */
const nextPage = ({ url, headers }: Response): URL | undefined => {
  const [next] = LinkHeader.parse(headers.get("link") ?? "").rel("next");
  if (!next) return undefined;
  const page = new URL(next.uri, url);
  if (page.origin !== new URL(url).origin) throw new Error(`The next page is on another host, ${page.origin}.`);
  return page;
};
