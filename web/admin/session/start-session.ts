import { ErrorResponse } from "oidc-client-ts";
import * as z from "zod/mini";
import { type Endpoints, endpointsSchema, type Login, loadSettings, loginOf, type Settings } from "./login.ts";
import { asksForPassword, isSignInTab } from "./other-tabs.ts";
import { forgetSession, parsedJson, type Session, storedSession, storeSession } from "./session.ts";

/** The possible outcomes of starting: signed in, signed in for other tabs, about to leave, or a problem. */
export type Start =
  | { outcome: "signed-in"; settings: Settings; login: Login; session: Session }
  | { outcome: "signed-in-for-others"; session: Session }
  | { outcome: "leaving" }
  | { outcome: "failed"; problem: LoginProblem };

/** Explains to the user why the sign-in failed. */
export interface LoginProblem {
  title: string;
  explanation: string;
  /** Technical detail for support; absent if nothing went wrong. */
  detail?: string;
}

/** Signs the user in with this tab's session, with the login's response in the address, or by redirecting to the login. */
export const startSession = async (): Promise<Start> => {
  const { origin, pathname, search, hash } = location;
  const here = pathname + search + hash;
  const query = new URLSearchParams(search);
  const isLoginResponse = query.has("state") && (query.has("code") || query.has("error"));

  let settings: Settings;
  try {
    settings = await loadSettings();
  } catch (error) {
    return failed("The service cannot be reached", "Check your connection, then try again.", error);
  }
  if (origin !== new URL(settings.base_url).origin) return leave(settings.base_url + here);

  if (isLoginResponse) return finishLogin(settings, loginOf(settings, takeEndpoints()));
  const login = loginOf(settings);
  const session = isSignInTab(here) ? undefined : storedSession();
  return session ? { outcome: "signed-in", settings, login, session } : goToLogin(login, here);
};

const endpointsName = "login.endpoints";

/** Redirects the browser to the login, which redirects it back to `returnTo`. */
const goToLogin = async (login: Login, returnTo: string): Promise<Start> => {
  forgetSession();
  try {
    const address = await login.address(returnTo, { asksForPassword: asksForPassword(returnTo) });
    sessionStorage.setItem(endpointsName, JSON.stringify(await login.endpoints()));
    return leave(address);
  } catch (error) {
    return failed("The login cannot be reached", "It may be down, or your network may block it. Try again.", error);
  }
};

const finishLogin = async (settings: Settings, login: Login): Promise<Start> => {
  const callback = location.href;
  // The login's response works only once, so a reload must not repeat it.
  history.replaceState(null, "", "/");
  try {
    const { session, returnTo } = await login.finish(callback);
    history.replaceState(null, "", returnTo);
    if (isSignInTab(returnTo)) return { outcome: "signed-in-for-others", session };
    storeSession(session);
    return { outcome: "signed-in", settings, login, session };
  } catch (error) {
    // The browser's Back button can lead to a response that was already used.
    const session = storedSession();
    if (session) return { outcome: "signed-in", settings, login, session };
    if (!(error instanceof ErrorResponse)) return failed(interrupted.title, interrupted.explanation, error);
    // A retry leads to the page that the user wanted.
    if (typeof error.state === "string") history.replaceState(null, "", error.state);
    return refused(error);
  }
};

const interrupted = {
  title: "The sign-in was not completed",
  explanation: "It took too long, or it was started in another tab or browser. Sign in again.",
};

const refused = (error: ErrorResponse): Start =>
  error.error === "access_denied"
    ? failed("The sign-in was cancelled", "You are not signed in. Sign in again to continue.", error)
    : failed(
        "The sign-in was rejected",
        "Try again. If this keeps happening, contact the operator of the service.",
        error,
      );

const leave = (address: string): Start => {
  location.replace(address);
  return { outcome: "leaving" };
};

const failed = (title: string, explanation: string, error: unknown): Start => ({
  outcome: "failed",
  problem: { title, explanation, detail: detailOf(error) },
});

/** Returns what support needs to know about an error. For a failed request, browsers report only "Failed to fetch" or similar. */
export const detailOf = (error: unknown): string => {
  if (error instanceof TypeError && /fetch|load failed/i.test(error.message))
    return navigator.onLine ? "There was no response." : "You are offline.";
  return error instanceof Error ? error.message : String(error);
};

/**
 * Returns the login's endpoints, which the tab has stored before it left for the login, once. Loading them again would take
 * seconds on a slow connection.
 */
const takeEndpoints = (): Endpoints | undefined => {
  const text = sessionStorage.getItem(endpointsName) ?? "";
  sessionStorage.removeItem(endpointsName);
  return z.safeParse(endpointsSchema, parsedJson(text)).data;
};
