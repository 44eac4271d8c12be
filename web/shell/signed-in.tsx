import { useCallback, useMemo, useState } from "react";
import { adminApi } from "../api/admin-api.ts";
import { ApiSettingsPage } from "../pages/api-settings/api-settings-page.tsx";
import { KeysPage } from "../pages/keys/keys-page.tsx";
import { contentId, useFocusOnPage } from "../parts/focus.ts";
import { onceReleased } from "../session/hold.ts";
import type { Login } from "../session/login.ts";
import { forgetSession, isAdmin, type Session } from "../session/session.ts";
import type { Settings } from "../session/settings.ts";
import { goToLogin, type LoginProblem } from "../session/start-session.ts";
import { tellSignedOut, useSessionEnd } from "../session/use-session-end.ts";
import { AppContext } from "./app-context.ts";
import { PageHeader } from "./header.tsx";
import { NoGroupPage } from "./no-group-page.tsx";
import { Notification } from "./notification.tsx";
import { addresses, useAddress } from "./routing.ts";

interface SignedInProps {
  start: { settings: Settings; login: Login; session: Session };
  onProblem: (problem: LoginProblem) => void;
}

/** The pages, for a user who is signed in. */
export const SignedIn = ({ start: { settings, login, session }, onProblem }: SignedInProps) => {
  const { href, pathname } = useAddress();
  useFocusOnPage(href);
  const [notice, setNotice] = useState<{ text: string; href: string }>();

  const signInAgain = useCallback(async () => {
    const { pathname, search, hash } = location;
    const outcome = await goToLogin(login, pathname + search + hash);
    if (outcome.outcome === "failed") onProblem(outcome.problem);
  }, [login, onProblem]);
  const onSignOut = useCallback(() => {
    forgetSession();
    onProblem(signedOutElsewhere);
  }, [onProblem]);
  useSessionEnd(session, { onExpiry: signInAgain, onSignOut });

  const app = useMemo(() => {
    const onSignInNeeded = () => (isFresh(session) ? onProblem(sessionRefused) : onceReleased(signInAgain));
    const signOut = async () => {
      forgetSession();
      tellSignedOut();
      await login.logoutAddress().then(
        (address) => location.assign(address),
        (error: Error) => onProblem({ ...signedOutHere, detail: error.message }),
      );
    };
    return {
      api: adminApi({ accessToken: session.accessToken, onSignInNeeded }),
      session,
      baseUrl: settings.base_url,
      notify: (text: string) => setNotice({ text, href: location.href }),
      signOut,
    };
  }, [session, settings, login, signInAgain, onProblem]);

  return (
    <AppContext value={app}>
      <PageHeader />
      <main id={contentId} tabIndex={-1}>
        {notice?.href === href && <Notification text={notice.text} onDismiss={() => setNotice(undefined)} />}
        {!isAdmin(session) ? <NoGroupPage /> : pathname === addresses.keys ? <KeysPage /> : <ApiSettingsPage />}
      </main>
    </AppContext>
  );
};

const signedOutElsewhere: LoginProblem = {
  title: "You are signed out",
  explanation: "You signed out in another tab of this browser.",
};

const signedOutHere: LoginProblem = {
  title: "You are signed out here only",
  explanation: "The login cannot be reached, so it still knows you. Close the browser if others use it too.",
};

/** A session that is refused as soon as it began would be refused again: asking the login for another would never end. */
const isFresh = ({ startedAt }: Session): boolean => Date.now() - startedAt < 10_000;

const sessionRefused: LoginProblem = {
  title: "The service does not accept the sign-in",
  explanation:
    "You signed in, but the service refused the session. Try again; if it happens again, tell whoever runs it.",
  detail: "The admin door answered 401 to a new access token.",
};
