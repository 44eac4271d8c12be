import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { type AroundNavHandler, Route, Router, Switch, useLocation } from "wouter";
import { useSearch } from "wouter/use-browser-location";
import { addresses, recordStoresIn } from "../../../lambdas/shared/addresses.ts";
import { adminApi } from "../api/admin-api.ts";
import type { ApiFailure } from "../api/api-failure.ts";
import { HistoryPage } from "../pages/history/history-page.tsx";
import { KeysPage } from "../pages/keys/keys-page.tsx";
import { RecordsPage } from "../pages/records/records-page.tsx";
import { ApiSettingsPage } from "../pages/tokens/api-settings-page.tsx";
import { AppContext, useApp } from "../parts/app-context.tsx";
import { DialogsProvider } from "../parts/dialog.tsx";
import { contentId, useFocusOnPage } from "../parts/focus.ts";
import { SendingProvider } from "../parts/sending.tsx";
import { onceUnblocked, unlessBlocked } from "../session/blocker.ts";
import type { Login, Settings } from "../session/login.ts";
import { tellOtherTabs } from "../session/other-tabs.ts";
import { forgetSession, isAdmin, type Session } from "../session/session.ts";
import { detailOf, type LoginProblem } from "../session/start-session.ts";
import { useSession } from "../session/use-session.ts";
import { PageHeader } from "./header.tsx";
import { NoGroupPage, NotFoundPage } from "./message-pages.tsx";
import { Notification, OfflineMessage, SessionEnded } from "./messages.tsx";

interface SignedInProps {
  start: { settings: Settings; login: Login; session: Session };
  onProblem: (problem: LoginProblem) => void;
}

/** Shows the pages to a signed-in user. */
export const SignedIn = ({ start, onProblem }: SignedInProps) => {
  const { settings, login } = start;
  const [pathname] = useLocation();
  const address = pathname + useSearch();
  useFocusOnPage(address);
  const [queryClient] = useState(createQueryClient);
  /** A message about a change that was just made, with the address of the page that shows it. */
  const [notice, setNotice] = useState<{ text: ReactNode; address: string }>();

  const onSignOut = useCallback(() => {
    forgetSession();
    onceUnblocked(() => onProblem(signedOutElsewhere));
  }, [onProblem]);
  const onRenewal = useCallback(() => {
    queryClient.refetchQueries({ type: "active", predicate: ({ state }) => state.error?.status === 401 });
  }, [queryClient]);
  const live = useSession(start.session, { onSignOut, onRenewal });
  const { session, accessToken, refuse } = live;
  const isSessionOver = live.end !== undefined;

  const api = useMemo(() => {
    const onRefusal = (refused: string) => {
      if (refused === start.session.accessToken && isFresh(start.session)) onProblem(sessionRefused);
      else refuse(refused);
    };
    return adminApi({ accessToken, onRefusal });
  }, [start, accessToken, refuse, onProblem]);

  const app = useMemo(() => {
    const signOut = async () => {
      forgetSession();
      tellOtherTabs("signed-out");
      await login.logoutAddress().then(
        (address) => location.assign(address),
        (error: unknown) => onProblem({ ...signedOutHere, detail: detailOf(error) }),
      );
    };
    return {
      api,
      session,
      isSessionOver,
      baseUrl: settings.base_url,
      settings,
      notify: (text: ReactNode) => setNotice({ text, address: location.pathname + location.search }),
      signOut,
    };
  }, [api, session, isSessionOver, settings, login, onProblem]);

  return (
    <QueryClientProvider client={queryClient}>
      <AppContext value={app}>
        <SendingProvider api={api}>
          <Router aroundNav={navigateToTop}>
            <PageHeader />
            <main id={contentId} tabIndex={-1}>
              {/* Above the page, so that nothing moves when messages appear or disappear. */}
              <div className="messages">
                <OfflineMessage />
                <SessionEnded live={live} onSwitchUser={() => location.reload()} />
                {notice?.address === address && (
                  <Notification text={notice.text} onDismiss={() => setNotice(undefined)} />
                )}
              </div>
              <DialogsProvider>{isAdmin(session) ? <Pages /> : <NoGroupPage />}</DialogsProvider>
            </main>
          </Router>
        </SendingProvider>
      </AppContext>
    </QueryClientProvider>
  );
};

const components = {
  [addresses.tokens]: ApiSettingsPage,
  [addresses.keys]: KeysPage,
  [addresses.history]: HistoryPage,
};

const Pages = () => {
  const { pages } = useApp().settings;
  return (
    <Switch>
      {Object.entries(components)
        .filter(([path]) => pages.includes(path))
        .map(([path, component]) => (
          <Route key={path} path={path} component={component} />
        ))}
      {recordStoresIn(pages).map((store) => (
        <Route key={store} path={addresses.recordsIn(store)}>
          <RecordsPage key={store} store={store} />
        </Route>
      ))}
      <Route component={NotFoundPage} />
    </Switch>
  );
};

/** Scrolls to the top on navigation, like a full page load. */
const navigateToTop: AroundNavHandler = (navigate, to, options) =>
  unlessBlocked(() => {
    navigate(to, options);
    scrollTo(0, 0);
  });

const signedOutElsewhere: LoginProblem = {
  title: "You are signed out",
  explanation: "You signed out in another tab of this browser.",
};

const signedOutHere: LoginProblem = {
  title: "You are signed out of this page only",
  explanation:
    "The login cannot be reached, so you are still signed in there. Close the browser if other people use it too.",
};

/** Whether a session has just started. If the service rejects a new session, signing in again would loop endlessly. */
const isFresh = ({ startedAt }: Session): boolean => Date.now() - startedAt < 10_000;

const sessionRefused: LoginProblem = {
  title: "The service does not accept the sign-in",
  explanation:
    "You signed in, but the service rejected the session. Try again. If this keeps happening, contact the operator of the service.",
  detail: "The service responded with 401 to a new access token.",
};

declare module "@tanstack/react-query" {
  interface Register {
    defaultError: ApiFailure;
  }
}

/** Creates the query client. Data is loaded when a page appears, when the user asks for it, and as often as a page specifies. */
const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: { networkMode: "always", retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false },
    },
  });
