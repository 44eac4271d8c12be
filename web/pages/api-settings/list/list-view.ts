import { type Attention, attentions } from "../attention/attention-reasons.ts";
import { type TokenStatus, tokenStatuses } from "../token/token-status.ts";
import { type SortColumn, sortColumns } from "./sort-tokens.ts";

/** What the list shows of all tokens, and in which order. It is in the query of the address. */
export interface ListView {
  attention: Attention | undefined;
  status: TokenStatus | undefined;
  /** The text to search for. */
  find: string;
  sort: SortColumn;
  isDescending: boolean;
  /** Counts from 1. */
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

/** Reads a view from the query of an address. What makes no sense there counts as absent. */
export const parseView = (search: string): ListView => {
  const query = new URLSearchParams(search);
  const [, minus = "", column] = /^(-?)(.+)$/.exec(query.get("sort") ?? "") ?? [];
  const sort = sortColumns.find((name) => name === column);
  const page = query.get("page") ?? "";
  return {
    attention: attentions.find((name) => name === query.get("show")),
    status: tokenStatuses.find((name) => name === query.get("state")),
    find: query.get("find") ?? "",
    ...(sort ? { sort, isDescending: minus !== "" } : { sort: defaultView.sort, isDescending: true }),
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  };
};

/** The query of a view, with a question mark unless it is empty. Defaults are left out. */
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

/** Whether the view leaves out tokens. */
export const isFiltered = ({ attention, status, find }: ListView): boolean =>
  attention !== undefined || status !== undefined || find.trim() !== "";
