import { ErrorResponse } from "oidc-client-ts";
import { type Login, loginOf } from "./login.ts";
import { forgetSession, type Session, storedSession, storeSession } from "./session.ts";
import { loadSettings, type Settings } from "./settings.ts";

/** How the page starts: signed in, about to leave, or with a problem. */
export type Start =
  | { outcome: "signed-in"; settings: Settings; login: Login; session: Session }
  | { outcome: "leaving" }
  | { outcome: "failed"; problem: LoginProblem };

/** Why the user could not be signed in, for them to read. */
export interface LoginProblem {
  title: string;
  explanation: string;
  /** Technical detail for support; absent if nothing went wrong. */
  detail?: string;
}

/** Signs the user in: with the session of this tab, with the login's answer in the address, or by going to the login. */
export const startSession = async (): Promise<Start> => {
  let settings: Settings;
  try {
    settings = await loadSettings();
  } catch (error) {
    return failed("The service cannot be reached", "Check your connection, then try again.", error);
  }
  const { origin, pathname, search, hash } = location;
  const here = pathname + search + hash;
  if (origin !== new URL(settings.base_url).origin) return leave(settings.base_url + here);

  const login = loginOf(settings);
  const query = new URLSearchParams(search);
  if (query.has("state") && (query.has("code") || query.has("error"))) return finishLogin(settings, login);
  const session = storedSession();
  return session ? { outcome: "signed-in", settings, login, session } : goToLogin(login, here);
};

/** Sends the browser to the login, which sends it back to `returnTo`. */
export const goToLogin = async (login: Login, returnTo: string): Promise<Start> => {
  forgetSession();
  try {
    return leave(await login.address(returnTo));
  } catch (error) {
    return failed("The login cannot be reached", "It may be down, or your network may block it. Try again.", error);
  }
};

const finishLogin = async (settings: Settings, login: Login): Promise<Start> => {
  const callback = location.href;
  // The login's answer works once, so a reload must not repeat it.
  history.replaceState(null, "", "/");
  try {
    const { session, returnTo } = await login.finish(callback);
    storeSession(session);
    history.replaceState(null, "", returnTo);
    return { outcome: "signed-in", settings, login, session };
  } catch (error) {
    // The browser's back button can lead to an answer that was already used.
    const session = storedSession();
    if (session) return { outcome: "signed-in", settings, login, session };
    return error instanceof ErrorResponse ? refused(error) : failed(interrupted.title, interrupted.explanation, error);
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
        "The login refused to sign you in",
        "Try again. If this keeps happening, contact the operator of the service.",
        error,
      );

const leave = (address: string): Start => {
  location.replace(address);
  return { outcome: "leaving" };
};

const failed = (title: string, explanation: string, error: unknown): Start => ({
  outcome: "failed",
  problem: { title, explanation, detail: error instanceof Error ? error.message : String(error) },
});
