import { type RefObject, useEffect, useMemo, useState } from "react";
import type { Token } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import { type TokenList, useTokenList } from "../../../tokens/token-list.ts";
import { idsNeeding } from "../attention/attention-items.ts";
import { useAttention } from "../attention/use-attention.ts";
import { isOutstanding, useOutstanding } from "../confirmations/outstanding.ts";
import { arrange } from "./arrange.ts";
import { queryOf, useListView } from "./list-view.ts";

interface ShownTokensOptions {
  /** The query of the list's own address. */
  search: string;
  /** Not while the page of one token hides the list. */
  isShown: boolean;
  /** Whether a dialog covers the list, which then stays as it is, because nothing must move there unseen. */
  isCovered: boolean;
  /** Where the list is on the page. */
  section: RefObject<HTMLElement | null>;
}

/** Everything that the list shows: the tokens that have arrived, which of them the view leaves, and what is selected. */
export const useShownTokens = ({ search, isShown, isCovered, section }: ShownTokensOptions) => {
  const query = useTokenList(isShown);
  const { data: list, isFetching } = query;
  const listView = useListView(search);
  const { view } = listView;
  const now = useNow();
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([]);

  const latest = useMemo(() => [...(list?.byId.values() ?? [])], [list?.byId]);
  const [uncovered, setUncovered] = useState(latest);
  if (!isCovered && uncovered !== latest) setUncovered(latest);
  const all = isCovered ? uncovered : latest;
  const outstanding = useMemo(() => all.filter((token) => isOutstanding(token, now)), [all, now]);
  const requests = useOutstanding(isShown ? outstanding : []);
  const { items, leaks, notices } = useAttention(all, now);
  const needing = useMemo(() => view.attention && idsNeeding(items, view.attention), [items, view.attention]);
  const order = useSteadyOrder(list, queryOf({ ...view, page: 1 }), section);
  const { settledCount } = order;
  const found = useMemo(
    () => arrange(all, { view, needing, now, settledCount }),
    [all, view, needing, now, settledCount],
  );

  const isArriving = list?.missing === "rest" && isFetching;
  const isLongRefresh = isFetching && !isArriving && list !== undefined && list.arrivedCount > 0;
  return {
    ...listView,
    query,
    all,
    /** The tokens that the view leaves, of all pages. */
    found,
    /** What needs attention. */
    items,
    /** Whether an important part of that is still to come. */
    isAttentionPending: leaks.isPending,
    leaks: leaks.data,
    /** What else could not be loaded. */
    failures: [
      {
        title: "New requests for confirmation could not be loaded",
        query: outstanding.length > 0 ? requests : undefined,
      },
      { title: "Leak warnings could not be loaded", query: leaks },
      { title: "Undelivered notices could not be loaded", query: notices },
    ].flatMap(({ title, query }) => (query?.error ? [{ title, failure: query.error, onRetry: query.refetch }] : [])),
    refetch: () => {
      for (const { refetch } of [query, leaks, notices]) refetch();
    },
    /** Whether other tokens are still to come. */
    isArriving,
    /** How many tokens have arrived again in a refresh that takes a while; `undefined` if there is none. */
    refreshedCount: isLongRefresh ? list.arrivedCount : undefined,
    order,
    selected: selectedIds.flatMap((id) => list?.byId.get(id) ?? []),
    select: (tokens: readonly Token[]) => setSelectedIds(tokens.map(({ token_id }) => token_id)),
  };
};

export type ShownTokens = ReturnType<typeof useShownTokens>;

/** What shows that someone is at work in the list. */
const signsOfWork = ["pointermove", "pointerdown", "wheel", "keydown"];

/**
 * Keeps the rows in their places while the rest of the list arrives: how many tokens, from the first, are in order before all
 * others. The others take their places when the order or the filters change, when the user asks for it, or when the list is
 * complete and nobody has touched it.
 */
const useSteadyOrder = (list: TokenList | undefined, order: string, section: RefObject<HTMLElement | null>) => {
  const [held, setHeld] = useState<{ count: number; order: string }>();
  const [isTouched, setTouched] = useState(false);
  const [generation, setGeneration] = useState(0);
  const count = list?.byId.size ?? 0;
  const isArriving = list?.missing === "rest";

  if (isArriving && held?.order !== order) setHeld({ count, order });
  if (held && !isArriving && (!isTouched || held.order !== order)) {
    setHeld(undefined);
    if (!isTouched) setGeneration(generation + 1);
  }

  useEffect(() => {
    if (!isArriving) return;
    const subscription = new AbortController();
    for (const sign of signsOfWork) {
      section.current?.addEventListener(sign, () => setTouched(true), { signal: subscription.signal, passive: true });
    }
    return () => subscription.abort();
  }, [isArriving, section]);

  return {
    settledCount: held?.count ?? count,
    isHeld: held !== undefined && held.count < count,
    /** Changes when all rows take other places. Rows of another generation are drawn anew, instead of moving. */
    generation,
    release: () => setHeld(undefined),
  };
};
