import { useMemo, useState } from "react";
import { navigate } from "wouter/use-browser-location";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import { type Attention, attentions } from "../attention/attention-items.ts";
import { type TokenStatus, tokenStatuses } from "../token/token-status.ts";

export const sortColumns = ["comment", "ip", "state", "issuer", "issued", "used", "expires"] as const;

export type SortColumn = (typeof sortColumns)[number];

/** The filters and the order of the list. They are kept in the address's query. */
export interface ListView {
  attention: Attention | undefined;
  status: TokenStatus | undefined;
  /** The search text. */
  find: string;
  sort: SortColumn;
  isDescending: boolean;
  /** Page number, starting at 1. */
  page: number;
}

export const defaultView: ListView = {
  attention: undefined,
  status: undefined,
  find: "",
  sort: "issued",
  isDescending: true,
  page: 1,
};

/** Parses a view from an address's query. Invalid values count as absent. */
export const parseView = (search: string): ListView => {
  const query = new URLSearchParams(search);
  const [, minus = "", column] = /^(-?)(.+)$/.exec(query.get("sort") ?? "") ?? [];
  const sort = sortColumns.find((name) => name === column);
  const page = query.get("page") ?? "";
  const attention = attentions.find((name) => name === query.get("show"));
  return {
    attention,
    // One filter is enough, because each reason to need attention occurs in only one state.
    status: attention ? undefined : tokenStatuses.find((name) => name === query.get("state")),
    find: query.get("find") ?? "",
    ...(sort ? { sort, isDescending: minus !== "" } : { sort: defaultView.sort, isDescending: true }),
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  };
};

/** Returns the query of a view, with a question mark unless it is empty. Defaults are left out. */
export const queryOf = ({ attention, status, find, sort, isDescending, page }: ListView): string => {
  const isDefaultSort = sort === defaultView.sort && isDescending === defaultView.isDescending;
  const query = new URLSearchParams({
    ...(attention && { show: attention }),
    ...(status && { state: status }),
    ...(find !== "" && { find }),
    ...(!isDefaultSort && { sort: isDescending ? `-${sort}` : sort }),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size === 0 ? "" : `?${query}`;
};

/** Whether the view hides tokens. */
export const isFiltered = ({ attention, status, find }: ListView): boolean =>
  attention !== undefined || status !== undefined || find.trim() !== "";

/** Returns the view in the address's query, and functions that change it. */
export const useListView = (search: string) => {
  const [typed, setTyped] = useState<{ find: string; search: string }>();
  if (typed && typed.search !== search) setTyped(undefined);
  const find = typed?.find;
  const view = useMemo(() => {
    const inAddress = parseView(search);
    return find === undefined ? inAddress : { ...inAddress, find, page: 1 };
  }, [search, find]);

  /** Adds a history entry. Any change except to the page number returns to page 1. */
  const change = (changes: Partial<ListView>): void => navigate(addressOf({ ...view, page: 1, ...changes }));

  /** Searches during typing, within one history entry. */
  const type = (text: string): void => setTyped({ find: text, search });

  /** Puts the typed text into the address when typing pauses or before the user follows a link. */
  const finishTyping = (): void => {
    if (find === undefined) return;
    navigate(addressOf(view), { replace: true });
    setTyped(undefined);
  };

  return { view, change, type, finishTyping };
};

const addressOf = (view: ListView): string => addresses.tokens + queryOf(view);

/** Returns the address of the list with a workload's live tokens. */
export const addressOfTokens = (trustId: string): string =>
  addressOf({ ...defaultView, find: trustId, status: "active" });
