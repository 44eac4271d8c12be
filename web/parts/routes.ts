import { useSearch } from "wouter/use-browser-location";

/** The addresses of the pages: the path names the page, and the query what it shows. */
export const addresses = {
  tokens: "/",
  token: (id: string) => `/?${new URLSearchParams({ token: id })}`,
  keys: "/keys",
  keysAfter: (cursor?: string) =>
    cursor === undefined ? addresses.keys : `/keys?${new URLSearchParams({ after: cursor })}`,
  keysWithPrefix: (prefix: string) => `/keys?${new URLSearchParams({ prefix })}`,
  history: "/history",
  /** `query` has the filters and the cursor. */
  historyOf: (query: Readonly<Record<string, string>>) =>
    Object.keys(query).length === 0 ? addresses.history : `/history?${new URLSearchParams(query)}`,
  key: (id: string) => `/keys?${new URLSearchParams({ key: id })}`,
  /** The page then shows the way back. */
  documentation: "/api/documentation?from=web",
} as const;

/** A parameter of the current address. Not wouter's `useSearchParams`, which decodes some characters twice. */
export const useQueryParameter = (name: string): string | undefined =>
  new URLSearchParams(useSearch()).get(name) ?? undefined;

/** What makes an address another page: its path, and the item that it shows. All else is how a page shows a list. */
export const pageOf = (address: string): string => {
  const { pathname, searchParams } = new URL(address, "http://any");
  return [pathname, ...["token", "key", "after"].map((name) => searchParams.get(name) ?? "")].join(" ");
};
