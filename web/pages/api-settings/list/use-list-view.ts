import { useCallback, useEffect, useMemo, useState } from "react";
import { navigate } from "wouter/use-browser-location";
import { addresses } from "../../../../lambdas/addresses.ts";
import { type ListView, parseView, queryOf } from "./list-view.ts";

/** Browsers refuse to replace the address for each letter of a long text. */
const typingMs = 250;

/** The view in the query of the address, and how to change it. */
export const useListView = (search: string) => {
  const [typed, setTyped] = useState<{ find: string; search: string }>();
  if (typed && typed.search !== search) setTyped(undefined);
  const find = typed?.find;
  const view = useMemo(() => {
    const inAddress = parseView(search);
    return find === undefined ? inAddress : { ...inAddress, find, page: 1 };
  }, [search, find]);

  /** Adds an entry to the history. Anything but another page begins at the first page again. */
  const change = (changes: Partial<ListView>): void => navigate(addressOf({ ...view, page: 1, ...changes }));

  /** Searches while the user types, within one entry of the history. */
  const type = (text: string): void => setTyped({ find: text, search });

  /** Puts what was typed into the address without waiting, for example before the user follows a link. */
  const finishTyping = useCallback((): void => {
    if (find === undefined) return;
    navigate(addressOf(view), { replace: true });
    setTyped(undefined);
  }, [find, view]);

  useEffect(() => {
    const timer = setTimeout(finishTyping, typingMs);
    return () => clearTimeout(timer);
  }, [finishTyping]);

  return { view, change, type, finishTyping };
};

const addressOf = (view: ListView): string => addresses.tokens + queryOf(view);
