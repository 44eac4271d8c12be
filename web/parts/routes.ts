import { useSearch } from "wouter/use-browser-location";

/** A parameter of the current address. Not wouter's `useSearchParams`, which decodes some characters twice. */
export const useQueryParameter = (name: string): string | undefined =>
  new URLSearchParams(useSearch()).get(name) ?? undefined;

/** What makes an address another page: its path, and the item that it shows. All else is how a page shows a list. */
export const pageOf = (address: string): string => {
  const { pathname, searchParams } = new URL(address, "http://any");
  return [pathname, ...["token", "key", "after"].map((name) => searchParams.get(name) ?? "")].join(" ");
};
