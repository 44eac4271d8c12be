import { ErrorResponse } from "oidc-client-ts";
import { type Login, loginOf } from "./login.ts";
import { forgetSession, type Session, storedSession, storeSession } from "./session.ts";
import { loadSettings, type Settings } from "./settings.ts";

/** How the page begins: signed in, on its way to somewhere else, or not at all. */
export type Start =
  | { outcome: "signed-in"; settings: Settings; login: Login; session: Session }
  | { outcome: "leaving" }
  | { outcome: "failed"; problem: LoginProblem };

/** Why nobody could be signed in, for the user to read. */
export interface LoginProblem {
  title: string;
  explanation: string;
  /** For whoever is asked to help; absent if nothing went wrong. */
  detail?: string;
}

/** Signs the user in: by the session of this tab, by what the login has just answered, or by going there. */
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

/** Sends the browser to the login. It comes back to `returnTo`. */
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
  // A reload must not repeat an answer that can be used once.
  history.replaceState(null, "", "/");
  try {
    const { session, returnTo } = await login.finish(callback);
    storeSession(session);
    history.replaceState(null, "", returnTo);
    return { outcome: "signed-in", settings, login, session };
  } catch (error) {
    // The browser's back button leads to an answer that was used already.
    const session = storedSession();
    if (session) return { outcome: "signed-in", settings, login, session };
    return error instanceof ErrorResponse ? refused(error) : failed(interrupted.title, interrupted.explanation, error);
  }
};

const interrupted = {
  title: "The sign-in was not completed",
  explanation: "It took too long, or it began in another tab or browser. Sign in again.",
};

const refused = (error: ErrorResponse): Start =>
  error.error === "access_denied"
    ? failed("The sign-in was cancelled", "Nobody was signed in. Sign in again to go on.", error)
    : failed(
        "The login refused to sign you in",
        "Try again. If it happens again, tell whoever runs the service.",
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
