import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, expectTypeOf, test, vi } from "vitest";
import type { AdminApi, ReadingApi } from "../../web/admin/api/admin-api.ts";
import { ApiFailure } from "../../web/admin/api/api-failure.ts";
import type { IssuedToken } from "../../web/admin/api/types.ts";
import type * as keyDialogs from "../../web/admin/pages/keys/key-dialogs.tsx";
import type * as decisionDialog from "../../web/admin/pages/tokens/confirmations/decision-dialog.tsx";
import type * as confirmDialogs from "../../web/admin/pages/tokens/dialogs/confirm-dialogs.tsx";
import type * as editDialog from "../../web/admin/pages/tokens/dialogs/edit-dialog.tsx";
import type * as issueDialogs from "../../web/admin/pages/tokens/dialogs/issue-dialogs.tsx";
import type * as severalDialog from "../../web/admin/pages/tokens/list/several-dialog.tsx";
import type * as trustDialogs from "../../web/admin/pages/tokens/trusts/trust-dialogs.tsx";
import { AppContext } from "../../web/admin/parts/app-context.tsx";
import { SendingProvider, useSending } from "../../web/admin/parts/sending.tsx";
import type { TokenList } from "../../web/admin/records/caches.ts";
import { listKey, recordKey, type Trusts, trustsKey } from "../../web/admin/records/caches.ts";
import { isUnknownRecord, tokenQuery, trustQuery, useToken, useTrust } from "../../web/admin/records/token-queries.ts";
import type { dialogTrialNames } from "../browser/dialog-names.ts";
import { exampleToken, exampleTrust } from "./record-examples.ts";

const [token, trust] = [exampleToken(), exampleTrust()];

/** A browser whose lists were loaded before the records were created. */
const withEmptyLists = () => {
  const client = new QueryClient();
  const list: TokenList = { byId: new Map(), missing: "none", loadedAt: 0, changed: new Map() };
  client.setQueryData(listKey, list);
  client.setQueryData<Trusts>(trustsKey, new Map());
  const api = vi.fn(async (action: string) => (action === "get" ? token : trust));
  return { client, api: api as typeof api & ReadingApi };
};

/** Provides a component with what the hooks of pages need. */
const within = (client: QueryClient, page: ReactNode) => {
  const session = { accessToken: "", username: "alice", groups: [], startedAt: 0, expiresAt: 0 };
  const { api } = withEmptyLists();
  const [notify, signOut] = [vi.fn(), vi.fn()];
  const value = { api, session, baseUrl: "", settings: { pages: [] }, notify, isSessionOver: false, signOut };
  return createElement(QueryClientProvider, { client }, createElement(AppContext, { value }, page));
};

describe("the page of a record", () => {
  test("loads a token that is not in the list, and adds it to the list", async () => {
    const { client, api } = withEmptyLists();
    expect(await client.fetchQuery(tokenQuery(api, token.token_id))).toEqual(token);
    expect(api.mock.calls).toMatchObject([["get", { token_id: token.token_id }, {}]]);
    expect(client.getQueryData<TokenList>(listKey)?.byId.get(token.token_id)).toEqual(token);
  });

  test("loads a trusted workload that is not in the list, and adds it to the list", async () => {
    const { client, api } = withEmptyLists();
    expect(await client.fetchQuery(trustQuery(api, trust.trust_id))).toEqual(trust);
    expect(api.mock.calls).toMatchObject([["get_trust", { trust_id: trust.trust_id }, {}]]);
    expect(client.getQueryData<Trusts>(trustsKey)?.get(trust.trust_id)).toEqual(trust);
  });

  test("shows the record that it loaded, or else the record in the list, and waits if there is neither", async () => {
    const shown = (client: QueryClient) => {
      const found: unknown[] = [];
      const Page = () => {
        found.push(useTrust(trust.trust_id).data, useToken(token.token_id, () => false).data);
        return null;
      };
      renderToStaticMarkup(within(client, createElement(Page)));
      return found;
    };
    const { client, api } = withEmptyLists();
    expect(shown(client)).toEqual([undefined, undefined]);
    client.setQueryData<Trusts>(trustsKey, new Map([[trust.trust_id, { ...trust, comment: "listed" }]]));
    expect(shown(client)).toMatchObject([{ comment: "listed" }, undefined]);
    await client.fetchQuery(tokenQuery(api, token.token_id));
    await client.fetchQuery(trustQuery(api, trust.trust_id));
    client.setQueryData<Trusts>(trustsKey, new Map());
    expect(shown(client)).toEqual([trust, token]);
  });

  test.each<[boolean, string, ApiFailure | null]>([
    [true, "has no such record", new ApiFailure({ status: 404 })],
    [true, "knows no such id", new ApiFailure({ status: 422, fields: { trust_id: ["The trust_id is wrong."] } })],
    [false, "cannot be reached", new ApiFailure({ code: "no_answer" })],
    [false, "has not responded yet", null],
  ])("reports that there is no record: %s if the service %s", (isUnknown, _, failure) => {
    expect(isUnknownRecord(failure)).toBe(isUnknown);
  });
});

describe("a change", () => {
  /** Sends what the service responds to with this, or fails. */
  const send = (client: QueryClient, respond: (action: string) => Promise<unknown>) => {
    const respondTo = vi.fn(respond);
    const api = respondTo as typeof respondTo & AdminApi;
    const found: ReturnType<typeof useSending<IssuedToken>>[] = [];
    const Page = () => {
      found.push(useSending((admin) => admin("rotate", { token_id: "old", grace_seconds: 0 })));
      return null;
    };
    renderToStaticMarkup(within(client, createElement(SendingProvider, { api }, createElement(Page))));
    found[0]?.run();
  };

  test("is shown on all pages without its secret, including the token that it replaces", async () => {
    const { client } = withEmptyLists();
    const old = exampleToken({ token_id: "old", successor_id: token.token_id });
    const successor = { ...token, predecessor_id: "old" };
    send(client, async (action) => (action === "rotate" ? { ...successor, token: "itk_secret" } : old));
    const listed = () => [...(client.getQueryData<TokenList>(listKey)?.byId.values() ?? [])];
    await vi.waitFor(() => expect(listed()).toEqual([successor, old]));
    expect(client.getQueryData(recordKey(token.token_id))).toEqual(successor);
  });

  test.each([
    ["may have been made", true, new ApiFailure({ status: 503 })],
    ["was not sent", false, new ApiFailure({ code: "offline" })],
    ["was rejected, because somebody else was first", true, new ApiFailure({ status: 409, code: "request_changed" })],
  ])("that fails but %s reloads the pages: %s", async (_, isReloaded, failure) => {
    const { client } = withEmptyLists();
    const reload = vi.spyOn(client, "invalidateQueries");
    send(client, () => Promise.reject(failure));
    await new Promise((resolve) => setImmediate(resolve));
    expect(reload).toHaveBeenCalledTimes(Number(isReloaded));
  });
});

test("the browser tests cover every dialog that sends something", () => {
  type Modules = typeof confirmDialogs & typeof decisionDialog & typeof editDialog & typeof issueDialogs;
  type OtherModules = typeof keyDialogs & typeof severalDialog & typeof trustDialogs;
  type Dialogs = Extract<keyof (Modules & OtherModules), `${string}Dialog`>;
  expectTypeOf<keyof typeof dialogTrialNames>().toEqualTypeOf<Dialogs>();
});
