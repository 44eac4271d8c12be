import type { ApiFailure } from "../api/api-failure.ts";
import { useApp } from "./app-context.ts";

/** What react-query knows of a query. */
interface Polled<Data> {
  state: { data: Data | undefined; error: ApiFailure | null };
}

/**
 * How often a query repeats itself, as its `refetchInterval`: only while the page is visible, which react-query sees to, and
 * only with a session, because each refusal would remind the user to sign in again.
 *
 * @param everyMs depends on what the query has loaded
 */
export const usePolling = <Data>(everyMs: (data: Data) => number | false) => {
  const { isSessionOver } = useApp();
  return (query: Polled<Data>): number | false => !isSessionOver && intervalOf(query, everyMs);
};

export const intervalOf = <Data>({ state: { data, error } }: Polled<Data>, everyMs: (data: Data) => number | false) =>
  error?.status === 401 || data === undefined ? false : everyMs(data);
