import { useLocation } from "wouter";
import { useHistoryState, useSearch } from "wouter/use-browser-location";
import * as z from "zod/mini";

/** A parameter of the current address. Not wouter's `useSearchParams`, which decodes some characters twice. */
export const useQueryParameter = (name: string): string | undefined =>
  new URLSearchParams(useSearch()).get(name) ?? undefined;

/** What makes an address another page: its path, and the item that it shows. All else is how a page shows a list. */
export const pageOf = (address: string): string => {
  const { pathname, searchParams } = new URL(address, "http://any");
  return [pathname, ...["token", "key", "after"].map((name) => searchParams.get(name) ?? "")].join(" ");
};

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
    const turned = cursorsOf(page, nextCursor === null ? cursors : [...cursors, nextCursor]);
    navigate(addressOf(turned.at(-1)), { state: { cursors: turned } });
  };

  return { after, page: cursors.length + 1, goTo };
};

/** The cursors that lead to a page; none for the first one, or if the page is not known. */
export const cursorsOf = (page: number, known: readonly string[]): string[] =>
  page - 1 > known.length ? [] : known.slice(0, page - 1);
