import * as z from "zod/mini";
import { actionSeconds, adminContract } from "../../../lambdas/admin/contract.ts";
import { recordContract } from "../../../lambdas/admin/records/records-contract.ts";
import { ApiFailure, noResponse, offline, readFailure } from "./api-failure.ts";
import type { ActionInput, ActionName, ActionResponse, ActionRoute } from "./types.ts";

interface AdminApiOptions {
  /** The current access token. */
  accessToken: () => string;
  /** Called when the service rejects an access token. */
  onRefusal: (accessToken: string) => void;
}

interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** Calls an action by its name. */
export type AdminApi = <Name extends ActionName>(
  name: Name,
  input: ActionInput<Name>,
  options?: CallOptions,
) => Promise<ActionResponse<Name>>;

type ReadingAction = {
  [Name in ActionName]: ActionRoute<Name> extends `GET ${string}` ? Name : never;
}[ActionName];

/**
 * Calls a read-only action. All other actions can be called only through `useSending`. Pass the query's signal, which cancels the
 * call when the page is closed. Pass `undefined` if the call should outlive its page.
 */
export type ReadingApi = <Name extends ReadingAction>(
  name: Name,
  input: ActionInput<Name>,
  options: Required<CallOptions>,
) => Promise<ActionResponse<Name>>;

type Contract = {
  [Name in ActionName]: { route: string; response: z.ZodMiniType<ActionResponse<Name>> };
};

/** The contract in a form that lets TypeScript infer each action's response. Empty responses have a schema too. */
const contract: Contract = {
  ...adminContract,
  ...recordContract,
  delete_key: { ...adminContract.delete_key, response: z.undefined() },
};

/**
 * Longer than the service takes, because a secret in the response would be lost if the browser gave up first. Without a timeout, a
 * browser would wait for minutes.
 */
export const callTimeoutMs = (actionSeconds + 6) * 1000;

/**
 * Creates the client of the admin API. A call throws only ApiFailure. Calls are never retried automatically, because sending an
 * issue twice creates two tokens.
 *
 * @example
 * const token = await api("get", { token_id });
 */
export const adminApi =
  ({ accessToken, onRefusal }: AdminApiOptions): AdminApi =>
  async (name, input, { signal } = {}) => {
    const { route, response: schema } = contract[name];
    const { method, url, body, headers } = requestOf(route, input);
    const sentToken = accessToken();
    const wasOnline = navigator.onLine;
    const response = await connected(
      fetch(url, {
        method,
        headers: {
          Accept: "application/json",
          Authorization: `Bearer ${sentToken}`,
          ...(body !== undefined && { "Content-Type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { body }),
        // The service sends this header too, but API Gateway's own responses don't.
        cache: "no-store",
        signal: AbortSignal.any([AbortSignal.timeout(callTimeoutMs), ...(signal ? [signal] : [])]),
      }),
      wasOnline,
    );
    if (response.status === 401) onRefusal(sentToken);
    if (!response.ok) throw await readFailure(response);
    const text = await connected(response.text());
    try {
      return z.parse(schema, text === "" ? undefined : JSON.parse(text));
    } catch (cause) {
      const message = "The service's response cannot be read. Load the page again: it may be out of date.";
      throw new ApiFailure({ code: "invalid_response", message, cause });
    }
  };

interface PagesOptions<Page> {
  /** The cursor of the first page. */
  after?: string | undefined;
  /** Whether the pages that were read suffice. By default, all are read. */
  isEnough?: (read: readonly Page[]) => boolean;
}

/** Loads the pages of a list. */
export const loadPages = async <Page extends { next_cursor: string | null }>(
  load: (cursor: string | undefined) => Promise<Page>,
  { after, isEnough = () => false }: PagesOptions<Page> = {},
): Promise<Page[]> => {
  const pages: Page[] = [];
  let cursor: string | null | undefined = after;
  while (cursor !== null && !isEnough(pages)) {
    const page = await load(cursor);
    pages.push(page);
    cursor = page.next_cursor;
  }
  return pages;
};

interface ActionRequest {
  method: string;
  url: string;
  body?: string;
  headers: Record<string, string>;
}

/** Puts the input's fields where the action expects them: path parameters in the path, the rest in the query or the body. */
const requestOf = (route: string, input: object): ActionRequest => {
  const fields = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const [method = "", template = ""] = route.split(" ");
  const path = `/admin${template}`.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(fields.get(name));
    fields.delete(name);
    return encodeURIComponent(value);
  });
  // The service compares this header with the path it receives, and rejects the request if something in between has changed the
  // path, such as API Gateway, which cuts an encoded path at a question mark.
  const headers = { "X-Sent-Path": path };
  if (method === "POST" || method === "PUT") {
    return { method, url: path, headers, body: JSON.stringify(Object.fromEntries(fields)) };
  }
  const query = new URLSearchParams([...fields].map(([name, value]) => [name, String(value)]));
  return { method, url: query.size === 0 ? path : `${path}?${query}`, headers };
};

/**
 * Turns a connection failure into an error that can be shown. An offline browser sends nothing, except to a service on the same
 * machine, which it can still reach.
 */
const connected = <Value>(value: Promise<Value>, wasOnline = true): Promise<Value> =>
  value.catch((cause: unknown) => {
    if (!wasOnline) {
      const message = "You are offline, so nothing was sent. Try again when you are online.";
      throw new ApiFailure({ code: offline, message, cause });
    }
    throw new ApiFailure({ code: noResponse, message: "The service did not respond. Check your connection.", cause });
  });
