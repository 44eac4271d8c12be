import { QueryClientProvider } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { type AroundNavHandler, Route, Router, Switch, useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { adminApi } from "../api/admin-api.ts";
import { createQueryClient } from "../api/query-client.ts";
import { ApiSettingsPage } from "../pages/api-settings/api-settings-page.tsx";
import { KeysPage } from "../pages/keys/keys-page.tsx";
import { AppContext } from "../parts/app-context.ts";
import { contentId, useFocusOnPage } from "../parts/focus.ts";
import { addresses } from "../parts/routes.ts";
import { onceUnblocked } from "../session/blocker.ts";
import type { Login } from "../session/login.ts";
import { forgetSession, isAdmin, type Session } from "../session/session.ts";
import type { Settings } from "../session/settings.ts";
import { goToLogin, type LoginProblem } from "../session/start-session.ts";
import { announceSignOut, useSessionEnd } from "../session/use-session-end.ts";
import { PageHeader } from "./header.tsx";
import { NoGroupPage } from "./no-group-page.tsx";
import { Notification } from "./notification.tsx";

interface SignedInProps {
  start: { settings: Settings; login: Login; session: Session };
  onProblem: (problem: LoginProblem) => void;
}

/** The pages, for a user who is signed in. */
export const SignedIn = ({ start: { settings, login, session }, onProblem }: SignedInProps) => {
  const [pathname] = useLocation();
  const address = pathname + useSearch();
  useFocusOnPage(address);
  const [queryClient] = useState(createQueryClient);
  const [notice, setNotice] = useState<{ text: string; address: string }>();

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
    const onSignInNeeded = () => (isFresh(session) ? onProblem(sessionRefused) : onceUnblocked(signInAgain));
    const signOut = async () => {
      forgetSession();
      announceSignOut();
      await login.logoutAddress().then(
        (address) => location.assign(address),
        (error: Error) => onProblem({ ...signedOutHere, detail: error.message }),
      );
    };
    return {
      api: adminApi({ accessToken: session.accessToken, onSignInNeeded }),
      session,
      baseUrl: settings.base_url,
      notify: (text: string) => setNotice({ text, address: location.pathname + location.search }),
      signOut,
    };
  }, [session, settings, login, signInAgain, onProblem]);

  return (
    <QueryClientProvider client={queryClient}>
      <AppContext value={app}>
        <Router aroundNav={navigateToTop}>
          <PageHeader />
          <main id={contentId} tabIndex={-1}>
            {notice?.address === address && <Notification text={notice.text} onDismiss={() => setNotice(undefined)} />}
            {isAdmin(session) ? <Pages /> : <NoGroupPage />}
          </main>
        </Router>
      </AppContext>
    </QueryClientProvider>
  );
};

const Pages = () => (
  <Switch>
    <Route path={addresses.keys} component={KeysPage} />
    <Route component={ApiSettingsPage} />
  </Switch>
);

/** Another page starts at its top, like one that the browser loads. */
const navigateToTop: AroundNavHandler = (navigate, to, options) => {
  navigate(to, options);
  scrollTo(0, 0);
};

const signedOutElsewhere: LoginProblem = {
  title: "You are signed out",
  explanation: "You signed out in another tab of this browser.",
};

const signedOutHere: LoginProblem = {
  title: "You are signed out of this page only",
  explanation:
    "The login cannot be reached, so you are still signed in there. Close the browser if other people use it too.",
};

/** A new session that is refused would be refused again after the next sign-in, without end. */
const isFresh = ({ startedAt }: Session): boolean => Date.now() - startedAt < 10_000;

const sessionRefused: LoginProblem = {
  title: "The service does not accept the sign-in",
  explanation:
    "You signed in, but the service refused the session. Try again; if this keeps happening, contact the operator of the service.",
  detail: "The admin API answered 401 to a new access token.",
};
