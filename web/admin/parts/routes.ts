import { useLocation } from "wouter";
import { useHistoryState, useSearch } from "wouter/use-browser-location";
import * as z from "zod/mini";

/**
 * Returns a query parameter of the current address. wouter's `useSearchParams` isn't used, because it decodes some characters
 * twice.
 */
export const useQueryParameter = (name: string): string | undefined =>
  new URLSearchParams(useSearch()).get(name) ?? undefined;

/**
 * Identifies the page of an address by its path and the item that it shows. The rest of the address only determines how a list is
 * displayed.
 */
export const pageOf = (address: string): string => {
  const { pathname, searchParams } = new URL(address, "http://any");
  return [pathname, ...["token", "key", "after"].map((name) => searchParams.get(name) ?? "")].join(" ");
};

/** Stored with each history entry: the cursors of the pages up to this one. */
const pagingState = z.object({ cursors: z.array(z.string()) });

/**
 * Keeps the page number of a list in the address, so that the browser's Back button returns to the previous page.
 *
 * @param addressOf returns the address of the page after a cursor, or of the first page
 */
export const usePaging = (addressOf: (after?: string) => string) => {
  const [, navigate] = useLocation();
  const after = useQueryParameter("after");
  const state = z.safeParse(pagingState, useHistoryState());
  // A link to a later page doesn't contain the cursors of the pages before it.
  const cursors = state.data?.cursors ?? (after === undefined ? [] : [after]);

  /** Goes to a page, counted from 1: any page seen so far, or the next one. */
  const goTo = (page: number, nextCursor: string | null) => {
    const turned = cursorsOf(page, nextCursor === null ? cursors : [...cursors, nextCursor]);
    navigate(addressOf(turned.at(-1)), { state: { cursors: turned } });
  };

  return { after, page: cursors.length + 1, goTo };
};

/** Returns the cursors that lead to a page. None for the first page, or if the page isn't known. */
export const cursorsOf = (page: number, known: readonly string[]): string[] =>
  page - 1 > known.length ? [] : known.slice(0, page - 1);
