import { createContext, type ReactNode, use } from "react";
import type { ReadingApi } from "../api/admin-api.ts";
import type { ApiFailure } from "../api/api-failure.ts";
import type { Settings } from "../session/login.ts";
import type { Session } from "../session/session.ts";

/** The values that every page can use. */
interface App {
  /** Use this only for reading, and `useSending` for changes. */
  api: ReadingApi;
  session: Session;
  /** The service's address without a trailing slash. */
  baseUrl: string;
  /** The deployment's settings that pages need. */
  settings: Pick<Settings, "pages">;
  /** Shows a message at the top of the page until the user navigates away. */
  notify: (text: ReactNode) => void;
  /** Whether the session has ended and the page is waiting for the user to sign in again. */
  isSessionOver: boolean;
  signOut: () => void;
}

export const AppContext = createContext<App | undefined>(undefined);

export const useApp = (): App => {
  const app = use(AppContext);
  if (!app) throw new Error("useApp needs an AppContext around the component.");
  return app;
};

/** The parts of a react-query query that polling needs. */
interface Polled<Data> {
  state: { data: Data | undefined; error: ApiFailure | null };
}

/**
 * Returns a query's `refetchInterval`. Polling stops while the page is hidden, which react-query takes care of. It also stops
 * without a session, because each rejected call would remind the user to sign in again.
 *
 * @param everyMs the interval, depending on the loaded data
 */
export const usePolling = <Data,>(everyMs: (data: Data) => number | false) => {
  const { isSessionOver } = useApp();
  return (query: Polled<Data>): number | false => !isSessionOver && intervalOf(query, everyMs);
};

export const intervalOf = <Data,>({ state: { data, error } }: Polled<Data>, everyMs: (data: Data) => number | false) =>
  error?.status === 401 || data === undefined ? false : everyMs(data);
