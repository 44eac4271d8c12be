import { useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import * as z from "zod/mini";
import { useQueryParameter } from "./routes.ts";

/** Kept with each entry of the browser's history: the cursors of the pages up to this one. */
const pagingState = z.object({ cursors: z.array(z.string()) });

/**
 * The page of a list in the address, which makes the browser's Back button return to the page before.
 *
 * @param addressOf the address of the page that begins after a cursor, or of the first page
 */
export const usePaging = (addressOf: (after?: string) => string) => {
  const [, navigate] = useLocation();
  const after = useQueryParameter("after");
  const state = z.safeParse(pagingState, useHistoryState());
  // A link to a later page says nothing about the pages before it.
  const cursors = state.data?.cursors ?? (after === undefined ? [] : [after]);

  /** Pages count from 1. The user can go to any page seen so far, and to the next. */
  const goTo = (page: number, nextCursor: string | null) => {
    const known = nextCursor === null ? cursors : [...cursors, nextCursor];
    const cursor = known[page - 2];
    if (cursor === undefined) navigate(addressOf());
    else navigate(addressOf(cursor), { state: { cursors: known.slice(0, page - 1) } });
  };

  return { after, page: cursors.length + 1, goTo };
};
