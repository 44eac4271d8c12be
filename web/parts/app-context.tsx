import { createContext, type ReactNode, use } from "react";
import type { AdminApi, ReadingApi } from "../api/admin-api.ts";
import type { ApiFailure } from "../api/api-failure.ts";
import type { Settings } from "../session/login.ts";
import type { Session } from "../session/session.ts";
import { type Once, useOnce } from "./use-once.ts";

/** What was just done. */
export interface Notice {
  text: ReactNode;
  /** Leads to what was changed. */
  link?: { href: string; text: string };
}

/** What every page can use. */
interface App {
  /** Reads. For changes there is `useSending`. */
  api: ReadingApi;
  session: Session;
  /** The address of the service, without a slash at the end. */
  baseUrl: string;
  /** What the service has. */
  settings: Pick<Settings, "pages">;
  /** Shows a message at the top of the page until the user goes to another one. */
  notify: (text: ReactNode, link?: Notice["link"]) => void;
  /** Whether the session has ended and the page waits for the user to sign in again. */
  isSessionOver: boolean;
  signOut: () => void;
}

export const AppContext = createContext<App | undefined>(undefined);

export const useApp = (): App => {
  const app = use(AppContext);
  if (!app) throw new Error("useApp needs an AppContext around the component.");
  return app;
};

/** Only `useSending` can read it, so that nothing is changed without its lock. */
const AdminApiContext = createContext<AdminApi | undefined>(undefined);

export const SendingProvider = ({ api, children }: { api: AdminApi; children: ReactNode }) => (
  <AdminApiContext value={api}>{children}</AdminApiContext>
);

export type Sending<Input, Result = unknown> = Once<Input, Result, ApiFailure>;

/**
 * Sends a change, once: however often its button is pressed, again only after a failure.
 *
 * @example
 * const revoke = useSending((api) => api("revoke", { token_id }), { onDone: onClose });
 * <Button onClick={() => revoke.run()} />
 */
export const useSending = <Result, Input = void>(
  work: (api: AdminApi, input: Input) => Promise<Result>,
  options?: Parameters<typeof useOnce<Input, Result, ApiFailure>>[1],
): Sending<Input, Result> => {
  const api = use(AdminApiContext);
  if (!api) throw new Error("useSending needs a SendingProvider around the component.");
  return useOnce((input) => work(api, input), options);
};

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
export const usePolling = <Data,>(everyMs: (data: Data) => number | false) => {
  const { isSessionOver } = useApp();
  return (query: Polled<Data>): number | false => !isSessionOver && intervalOf(query, everyMs);
};

export const intervalOf = <Data,>({ state: { data, error } }: Polled<Data>, everyMs: (data: Data) => number | false) =>
  error?.status === 401 || data === undefined ? false : everyMs(data);
