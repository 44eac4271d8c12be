import { createContext, use } from "react";
import type { AdminApi } from "../api/admin-api.ts";
import type { Session } from "../session/session.ts";

/** What every page has at hand. */
export interface App {
  api: AdminApi;
  session: Session;
  /** The address of the service, without a slash at the end. */
  baseUrl: string;
  /** Says at the top of the page what was done; the next page no longer says it. */
  notify: (text: string) => void;
  signOut: () => void;
}

export const AppContext = createContext<App | undefined>(undefined);

export const useApp = (): App => {
  const app = use(AppContext);
  if (!app) throw new Error("A page stands outside of the app.");
  return app;
};
