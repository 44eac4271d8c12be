import { useSyncExternalStore } from "react";

/** The pages' addresses: a path for each page, and what it shows in the query. */
export const addresses = {
  tokens: "/",
  token: (id: string) => `/?${new URLSearchParams({ token: id })}`,
  keys: "/keys",
  keysAfter: (cursor: string) => `/keys?${new URLSearchParams({ after: cursor })}`,
  key: (id: string) => `/keys?${new URLSearchParams({ key: id })}`,
  documentation: "/api/documentation",
} as const;

const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};
addEventListener("popstate", tell);

/** Goes to another page of the interface without loading it anew. `state` is kept with its place in the browser's history. */
export const navigate = (address: string, state: unknown = null): void => {
  history.pushState(state, "", address);
  scrollTo(0, 0);
  tell();
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Where the browser is, kept up to date. */
export const useAddress = (): URL => {
  const href = useSyncExternalStore(subscribe, () => location.href);
  return new URL(href);
};

interface Following {
  preventDefault(): void;
  readonly detail?: unknown;
}

/** What a link does when it is followed in this tab. */
export const follow =
  (address: string) =>
  (event: Following): void => {
    event.preventDefault();
    navigate(address);
  };
