import { Alert, Box, Button, Header, Link, SpaceBetween } from "@cloudscape-design/components";
import type { ReactNode } from "react";
import { addresses } from "../../../lambdas/shared/addresses.ts";
import { useApp } from "../parts/app-context.tsx";
import { PageLink, PageTitle, serviceTitle } from "../parts/page.tsx";
import { forgetSession } from "../session/session.ts";
import type { LoginProblem } from "../session/start-session.ts";

/** Shown in a sign-in tab if the browser doesn't let the tab close itself, or if no page is waiting for it. */
export const HandedOverPage = () => (
  <MessagePage title="Signed in">
    <Alert type="success" header="You are signed in">
      Close this tab and continue on the page that you came from, or <Link href={addresses.tokens}>start here</Link>.
    </Alert>
  </MessagePage>
);

/** A page without the surrounding interface. */
const MessagePage = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="problem-page">
    <PageTitle parts={[title]} />
    <Box variant="h1" padding={{ bottom: "l" }}>
      {serviceTitle}
    </Box>
    {children}
  </main>
);

/** Shown to a user who is in neither group. Says whom to ask, and offers to sign out. */
export const NoGroupPage = () => {
  const { session, signOut } = useApp();
  return (
    <SpaceBetween size="l">
      <PageTitle parts={["No access yet"]} />
      <Header variant="h1">No access yet</Header>
      <Alert type="info" action={<Button onClick={signOut}>Sign out</Button>}>
        Ask the operator of this service to add <strong>{session.username}</strong> to the group Admin, then sign in
        again.
      </Alert>
    </SpaceBetween>
  );
};

/** Shown for an unknown address. */
export const NotFoundPage = () => (
  <SpaceBetween size="l">
    <PageTitle parts={["Page not found"]} />
    <Header variant="h1">Page not found</Header>
    <Alert type="info">
      There is no page at this address. Go to the <PageLink href={addresses.tokens}>API settings</PageLink>.
    </Alert>
  </SpaceBetween>
);

/** Shown instead of any page if the sign-in failed. */
export const ProblemPage = ({ problem: { title, explanation, detail } }: { problem: LoginProblem }) => (
  <MessagePage title={title}>
    <Alert
      type={detail === undefined ? "info" : "error"}
      header={title}
      action={
        <Button variant="primary" onClick={startAgain}>
          {detail === undefined ? "Sign in" : "Try again"}
        </Button>
      }
    >
      {explanation}
      {detail !== undefined && (
        <Box color="text-body-secondary" fontSize="body-s" padding={{ top: "xs" }}>
          {detail}
        </Box>
      )}
    </Alert>
  </MessagePage>
);

const startAgain = () => {
  forgetSession();
  location.reload();
};
