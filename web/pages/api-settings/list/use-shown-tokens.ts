import { type RefObject, useEffect, useMemo, useState } from "react";
import type { Token } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import { useTokenList } from "../../../tokens/token-list.ts";
import { useTrusts } from "../../../tokens/trusts.ts";
import { idsNeeding } from "../attention/attention-items.ts";
import { useAttention } from "../attention/use-attention.ts";
import { isOutstanding, useOutstanding } from "../confirmations/outstanding.ts";
import { type ArrangeOptions, arrange } from "./arrange.ts";
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

  const all = useMemo(() => [...(list?.byId.values() ?? [])], [list?.byId]);
  const trusts = useTrusts();
  const outstanding = useMemo(() => all.filter((token) => isOutstanding(token, now)), [all, now]);
  const requests = useOutstanding(isShown ? outstanding : []);
  const { items, leaks, notices } = useAttention(all, trusts.data, now);
  const needing = useMemo(() => view.attention && idsNeeding(items, view.attention), [items, view.attention]);
  const order = useSteadyOrder(all, {
    ...{ view, needing, now, isShown, isCovered, section },
    isArriving: list?.missing === "rest",
    isReady: list !== undefined && !leaks.isPending,
  });
  const { found, release } = order;

  const isArriving = list?.missing === "rest" && isFetching;
  const isLongRefresh = isFetching && !isArriving && list !== undefined && list.arrivedCount > 0;
  return {
    ...listView,
    query,
    all,
    /** Without those of workloads. */
    own: useMemo(() => all.filter(({ trust_id }) => trust_id === null), [all]),
    trusts: trusts.data,
    found,
    /** What needs attention. */
    items,
    /** Whether an important part of that is still to come. */
    isAttentionPending: leaks.isPending || trusts.isPending,
    leaks: leaks.data,
    /** What else could not be loaded. */
    failures: [
      {
        title: "New requests for confirmation could not be loaded",
        query: outstanding.length > 0 ? requests : undefined,
      },
      { title: "Trusted workloads could not be loaded", query: trusts },
      { title: "Leak warnings could not be loaded", query: leaks },
      { title: "Undelivered notices could not be loaded", query: notices },
    ].flatMap(({ title, query }) => (query?.error ? [{ title, failure: query.error, onRetry: query.refetch }] : [])),
    /** Loads everything again. New tokens then take their places, because somebody has asked for them. */
    refetch: () => {
      query.refetch().then(({ isSuccess }) => isSuccess && release());
      for (const { refetch } of [leaks, notices, trusts]) refetch();
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

interface SteadyOrderOptions
  extends Omit<ArrangeOptions, "held">,
    Pick<ShownTokensOptions, "isShown" | "isCovered" | "section"> {
  /** Whether other tokens are still to come. */
  isArriving: boolean;
  /** Whether it is known which tokens the view leaves. */
  isReady: boolean;
}

/**
 * The tokens in the order of the view. Once somebody is at work in the list, the rows keep their places when it is refreshed, and
 * while the rest of it arrives or a dialog covers it; what is new comes last. All tokens take their places when the order or the
 * filters change, when the list comes back into view, and when the user asks for it; if nobody has touched the list, at once.
 */
const useSteadyOrder = (tokens: readonly Token[], options: SteadyOrderOptions) => {
  const { view, needing, now, isShown, isCovered, section, isArriving, isReady } = options;
  const [held, setHeld] = useState<{ order: string; ids: readonly string[] }>();
  const [isTouched, setTouched] = useState(false);
  const [generation, setGeneration] = useState(0);
  const isHeld = isReady && (isArriving || isTouched || isCovered);
  const order = `${queryOf({ ...view, page: 1 })} ${isShown}`;
  const ids = isHeld && held?.order === order ? held.ids : undefined;
  const found = useMemo(() => arrange(tokens, { view, needing, now, held: ids }), [tokens, view, needing, now, ids]);

  if (isHeld && !ids) setHeld({ order, ids: found.map(({ token_id }) => token_id) });
  if (!isHeld && held) {
    setHeld(undefined);
    setGeneration(generation + 1);
  }

  useEffect(() => {
    if (!isCovered) setHeld(undefined);
  }, [isCovered]);

  useEffect(() => {
    const subscription = new AbortController();
    for (const sign of signsOfWork) {
      section.current?.addEventListener(sign, () => setTouched(true), { signal: subscription.signal, passive: true });
    }
    return () => subscription.abort();
  }, [section]);

  return {
    /** The tokens that the view leaves, of all pages. */
    found,
    /** How many of them are at the end because they came later. */
    laterCount: ids === undefined ? 0 : found.length - ids.length,
    /** Changes when all rows take other places. Rows of another generation are drawn anew, instead of moving. */
    generation,
    release: () => setHeld(undefined),
  };
};
