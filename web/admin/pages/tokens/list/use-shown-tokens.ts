import { type RefObject, useEffect, useMemo, useState } from "react";
import type { Token } from "../../../api/types.ts";
import { useNow } from "../../../parts/time.ts";
import { useTokenList } from "../../../records/token-list.ts";
import { useTrusts } from "../../../records/token-queries.ts";
import { useAttention } from "../attention/attention-items.ts";
import { useClientSteps } from "../confirmations/outstanding.ts";
import { type ArrangeOptions, arrange, queryOf, useListView } from "./list-view.ts";

interface ShownTokensOptions {
  /** The query of the list's own address. */
  search: string;
  /** False while the page of one token hides the list. */
  isShown: boolean;
  /** Whether a dialog covers the list. Rows don't move while it does, because the user couldn't see it. */
  isCovered: boolean;
  /** The section of the page that contains the list. */
  section: RefObject<HTMLElement | null>;
}

/** Returns everything that the list shows: the tokens that have arrived, those that match the view, and the selection. */
export const useShownTokens = ({ search, isShown, isCovered, section }: ShownTokensOptions) => {
  const query = useTokenList(isShown);
  const { data: list, isFetching } = query;
  const listView = useListView(search);
  const { view } = listView;
  const now = useNow();
  const [selectedIds, setSelectedIds] = useState<readonly string[]>([]);

  const all = useMemo(() => [...(list?.byId.values() ?? [])], [list?.byId]);
  const trusts = useTrusts();
  const steps = useClientSteps();
  const { items, reasons, leaks } = useAttention(all, trusts.data, now);
  const needing = view.attention && reasons[view.attention];
  const order = useSteadyOrder(all, {
    view,
    needing,
    now,
    isShown,
    isCovered,
    section,
    isArriving: list?.missing === "rest",
    isReady: list !== undefined && !leaks.isPending,
  });
  const { found, release } = order;

  const isArriving = list?.missing === "rest" && isFetching;
  return {
    ...listView,
    query,
    all,
    /** Tokens that don't belong to workloads. */
    ofClients: useMemo(() => all.filter(({ trust_id }) => trust_id === null), [all]),
    /** The clients that any token belongs to, in alphabetical order. */
    clients: useMemo(() => [...new Set(all.flatMap(({ client }) => client ?? []))].toSorted(), [all]),
    trusts: trusts.data,
    found,
    /** The items that need attention. */
    items,
    /** The ids of the tokens that each filter shows. */
    reasons,
    /** Whether an important part of the items is still loading. */
    isAttentionPending: leaks.isPending || trusts.isPending,
    leaks: leaks.data,
    /** Failures to load anything else. */
    failures: [
      { title: "New requests for confirmation could not be loaded", query: steps },
      { title: "Trusted workloads could not be loaded", query: trusts },
      { title: "Leak warnings could not be loaded", query: leaks },
    ].flatMap(({ title, query }) => (query.error ? [{ title, failure: query.error, onRetry: query.refetch }] : [])),
    /** Reloads everything. New tokens are then sorted in, because the user asked for them. */
    refetch: () => {
      query.refetch().then(({ isSuccess }) => isSuccess && release());
      for (const { refetch } of [leaks, trusts]) refetch();
    },
    /** Whether tokens are still loading. */
    isArriving,
    order,
    selected: selectedIds.flatMap((id) => list?.byId.get(id) ?? []),
    select: (tokens: readonly Token[]) => setSelectedIds(tokens.map(({ token_id }) => token_id)),
  };
};

export type ShownTokens = ReturnType<typeof useShownTokens>;

/** Events that show that the user is working in the list. */
const signsOfWork = ["pointermove", "pointerdown", "wheel", "keydown"];

interface SteadyOrderOptions
  extends Omit<ArrangeOptions, "held">,
    Pick<ShownTokensOptions, "isShown" | "isCovered" | "section"> {
  /** Whether tokens are still loading. */
  isArriving: boolean;
  /** Whether the tokens that match the view are known. */
  isReady: boolean;
}

/**
 * Sorts the tokens for the view. Once the user is working in the list, rows keep their places during a refresh, while more tokens
 * arrive, and while a dialog covers the list. New rows come last. All rows are sorted again when the order or a filter changes,
 * when the list comes back into view, and when the user asks for it. Until somebody touches the list, it is sorted immediately.
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
    /** The tokens that match the view, on all pages. */
    found,
    /** How many of them are at the end because they arrived later. */
    laterCount: ids === undefined ? 0 : found.length - ids.length,
    /** Changes when all rows change places. Rows of a new generation are drawn anew instead of moving. */
    generation,
    release: () => setHeld(undefined),
  };
};
