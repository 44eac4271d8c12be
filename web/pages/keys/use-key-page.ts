import { useCallback } from "react";
import { useLoaded } from "../../parts/use-loaded.ts";
import { useApp } from "../../shell/app-context.ts";
import { addresses, navigate, useAddress } from "../../shell/routing.ts";

const pageSize = 50;

/** Kept with each place in the browser's history: where the pages before this one begin. */
interface KeyPageState {
  cursors: string[];
}

const isKeyPageState = (state: unknown): state is KeyPageState =>
  typeof state === "object" && state !== null && "cursors" in state && Array.isArray(state.cursors);

/** A page of keys as the service cuts it. The address names it, so that the browser's own way back leads back too. */
export const useKeyPage = () => {
  const { api } = useApp();
  const after = useAddress().searchParams.get("after") ?? undefined;
  const load = useCallback(() => api.listKeys(pageSize, after), [api, after]);
  const { value, ...loaded } = useLoaded(load);

  // Whoever came by a link to a later page knows of the first one and this one only.
  const here = after === undefined ? [] : [after];
  const state: unknown = history.state;
  const cursors = isKeyPageState(state) ? state.cursors : here;
  const next = value?.next_cursor ?? undefined;

  /** Pages count from 1. One can go to any page that was seen, and to the next. */
  const goTo = (page: number) => {
    const all = next === undefined ? cursors : [...cursors, next];
    const cursor = all[page - 2];
    if (cursor === undefined) navigate(addresses.keys);
    else navigate(addresses.keysAfter(cursor), { cursors: all.slice(0, page - 1) } satisfies KeyPageState);
  };

  return { ...loaded, keys: value?.keys ?? [], page: cursors.length + 1, hasNext: next !== undefined, goTo };
};

export type KeyPageView = ReturnType<typeof useKeyPage>;
