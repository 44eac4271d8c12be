import { useMemo, useState } from "react";
import { navigate } from "wouter/use-browser-location";
import { addresses } from "../../../../../lambdas/shared/addresses.ts";
import type { Token } from "../../../api/types.ts";
import { type Attention, attentions } from "../attention/attention-items.ts";
import { isRevocable, statusOf, type TokenStatus, tokenStatuses } from "../token/token-status.ts";

export const sortColumns = ["comment", "client", "ip", "state", "issued", "used", "expires"] as const;

export type SortColumn = (typeof sortColumns)[number];

/** The filters and the order of the list. Both are kept in the address's query. */
export interface ListView {
  attention: Attention | undefined;
  status: TokenStatus | undefined;
  /** Only the tokens of this client. */
  client: string | undefined;
  /** The search text. */
  find: string;
  sort: SortColumn;
  isDescending: boolean;
  /** Page number, starting at 1. */
  page: number;
}

/** The view of the tokens that expire soon. */
export const expiringView = { attention: "expiring", status: undefined, sort: "expires", isDescending: false } as const;

export const defaultView: ListView = {
  attention: undefined,
  status: undefined,
  client: undefined,
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
    client: query.get("client") || undefined,
    find: query.get("find") ?? "",
    ...(sort ? { sort, isDescending: minus !== "" } : { sort: defaultView.sort, isDescending: true }),
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  };
};

/** Returns the query of a view, with a question mark unless it is empty. Defaults are left out. */
export const queryOf = ({ attention, status, client, find, sort, isDescending, page }: ListView): string => {
  const isDefaultSort = sort === defaultView.sort && isDescending === defaultView.isDescending;
  const query = new URLSearchParams({
    ...(attention && { show: attention }),
    ...(status && { state: status }),
    ...(client !== undefined && { client }),
    ...(find !== "" && { find }),
    ...(!isDefaultSort && { sort: isDescending ? `-${sort}` : sort }),
    ...(page > 1 && { page: String(page) }),
  });
  return query.size === 0 ? "" : `?${query}`;
};

/** Whether the view hides tokens. */
export const isFiltered = ({ attention, status, client, find }: ListView): boolean =>
  attention !== undefined || status !== undefined || client !== undefined || find.trim() !== "";

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

/** The query of the list of trusted workloads. */
export const workloadsTab = "?tab=workloads";

const addressOf = (view: ListView): string => addresses.tokens + queryOf(view);

/** Returns the address of the list with a workload's live tokens. */
export const addressOfTokens = (trustId: string): string =>
  addressOf({ ...defaultView, find: trustId, status: "active" });

/** Returns the address of the list with a client's tokens. */
export const addressOfClient = (client: string): string => addressOf({ ...defaultView, client });

export interface ArrangeOptions {
  view: Omit<ListView, "page">;
  /** The ids of the tokens that need attention for the view's reason, if it has one. */
  needing?: ReadonlySet<string> | undefined;
  now: number;
  /** The ids of tokens that keep their places, even if they no longer belong there. All other tokens come after them. */
  held?: readonly string[] | undefined;
}

/**
 * Filters and sorts the tokens for a view. Tokens of workloads can number thousands, so they appear only in searches, under their
 * client, and under their reason to need attention.
 */
export const arrange = (tokens: readonly Token[], { view, needing, now, held = [] }: ArrangeOptions): Token[] => {
  const { status, client, find, sort, isDescending } = view;
  const text = find.trim().toLowerCase();
  const isShown = (token: Token): boolean =>
    (needing === undefined
      ? token.trust_id === null || text !== "" || client !== undefined
      : needing.has(token.token_id)) &&
    (client === undefined || token.client === client) &&
    (status === undefined || statusOf(token, now) === status) &&
    (text === "" || matches(token, text));
  const sign = isDescending ? -1 : 1;
  // If the list is sorted by expiry, tokens that have ended come last in either order.
  const rank = (token: Token): number => Number(sort === "expires" && !isRevocable(statusOf(token, now)));
  const others = new Map(tokens.map((token) => [token.token_id, token]));
  const inPlace = held.flatMap((id) => others.get(id) ?? []);
  for (const id of held) others.delete(id);
  const inOrder = [...others.values()]
    .filter(isShown)
    .sort((one, other) => rank(one) - rank(other) || sign * comparators[sort](one, other));
  return [...inPlace, ...inOrder];
};

/** Also searches the address and code of a request, because a client's operator reads these out. */
const matches = ({ comment, client, ip, issued_by, token_id, trust_id, request }: Token, text: string): boolean =>
  [comment, client ?? "", ip ?? "", issued_by, token_id, trust_id ?? "", request?.ip ?? "", request?.code ?? ""].some(
    (field) => field.toLowerCase().includes(text),
  );

/** Sorts ten thousand strings several times as fast as `localeCompare`. */
const texts = new Intl.Collator("en", { numeric: true });

const order = { awaiting_confirmation: 0, invited: 1, active: 2, rotated: 3, moved: 4, expired: 5, revoked: 6 };
const byStatus = (token: Token): number => order[statusOf(token, Date.now())];

/** Compares times as strings. `absent` replaces null. */
const byTime =
  (field: "issued_at" | "last_used_at" | "expires_at", absent: string) =>
  (one: Token, other: Token): number => {
    const [time, otherTime] = [one[field] ?? absent, other[field] ?? absent];
    return time < otherTime ? -1 : Number(time > otherTime);
  };

/** Comparators for the ascending order of each column. */
export const comparators: Record<SortColumn, (one: Token, other: Token) => number> = {
  comment: (one, other) => texts.compare(one.comment, other.comment),
  client: (one, other) => texts.compare(one.client ?? "", other.client ?? ""),
  ip: (one, other) => texts.compare(one.ip ?? "", other.ip ?? ""),
  state: (one, other) => byStatus(one) - byStatus(other),
  issued: byTime("issued_at", ""),
  used: byTime("last_used_at", ""),
  expires: byTime("expires_at", "9999"),
};
