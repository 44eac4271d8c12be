import { createContext, type ReactNode, use } from "react";
import type { ReadingApi } from "../api/admin-api.ts";
import type { Session } from "../session/session.ts";

/** What was just done. */
export interface Notice {
  text: ReactNode;
  /** Leads to what was changed. */
  link?: { href: string; text: string };
}

/** What every page can use. */
export interface App {
  /** Reads. For changes there is `useSending`. */
  api: ReadingApi;
  session: Session;
  /** The address of the service, without a slash at the end. */
  baseUrl: string;
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
