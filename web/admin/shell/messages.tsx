import { Alert, Button, LiveRegion, SpaceBetween } from "@cloudscape-design/components";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useIsOnline } from "../parts/browser.ts";
import { Dialog } from "../parts/dialog.tsx";
import { VisibleText } from "../parts/values.tsx";
import { signInTabAddress } from "../session/other-tabs.ts";
import type { LiveSession } from "../session/use-session.ts";

/** Reports what was just done. */
export const Notification = ({ text, onDismiss }: { text: ReactNode; onDismiss: () => void }) => (
  <div className="message">
    <LiveRegion>
      <Alert type="success" dismissible onDismiss={onDismiss}>
        <span className="breakable">{text}</span>
      </Alert>
    </LiveRegion>
  </div>
);

/** Says that the browser is offline for as long as it is. Anything that couldn't be loaded meanwhile is loaded afterwards. */
export const OfflineMessage = () => {
  const isOnline = useIsOnline();
  const client = useQueryClient();
  useEffect(() => {
    if (isOnline)
      client.refetchQueries({ type: "active", predicate: ({ state }) => state.error?.isUnreachable === true });
  }, [isOnline, client]);
  return (
    <LiveRegion>
      {!isOnline && (
        <div className="message">
          <Alert type="warning" header="You are offline">
            Nothing can be loaded or changed until you are connected again. The data on this page was loaded earlier.
          </Alert>
        </div>
      )}
    </LiveRegion>
  );
};

interface SessionEndedProps {
  live: LiveSession;
  /** Reloads the page for the user who has signed in. Entered values are lost. */
  onSwitchUser: () => void;
}

/** Asks the user to sign in again. The dialog can be dismissed, for example to copy something; a message then remains. */
export const SessionEnded = ({ live: { session, end }, onSwitchUser }: SessionEndedProps) => {
  const [asideAt, setAsideAt] = useState<number>();
  if (!end) return null;
  const { reminders, otherUser } = end;
  if (asideAt === reminders) {
    return (
      <div className="message">
        <Alert type="warning" action={<Button onClick={() => setAsideAt(undefined)}>Sign in again</Button>}>
          Your session has ended. The data on this page was loaded before that.
        </Alert>
      </div>
    );
  }
  return (
    <SessionEndedDialog
      username={session.username}
      otherName={otherUser?.username}
      onDismiss={() => setAsideAt(reminders)}
      onSwitchUser={onSwitchUser}
    />
  );
};

interface SessionEndedDialogProps {
  username: string;
  /** The user who has signed in instead, if it is a different one. */
  otherName: string | undefined;
  onDismiss: () => void;
  onSwitchUser: () => void;
}

/** Lets the user sign in again in another tab while this page stays unchanged. */
const SessionEndedDialog = ({ username, otherName, onDismiss, onSwitchUser }: SessionEndedDialogProps) => (
  <Dialog
    title="Your session has ended"
    onClose={onDismiss}
    actions={
      <>
        <Button variant="link" onClick={onDismiss}>
          Not now
        </Button>
        {otherName !== undefined && <Button onClick={onSwitchUser}>Discard and switch user</Button>}
        <Button variant="primary" href={signInTabAddress(otherName === undefined ? "again" : "anew")} target="sign-in">
          Sign in again
        </Button>
      </>
    }
  >
    <SpaceBetween size="m">
      <div>
        Sign in again as{" "}
        <strong className="breakable">
          <VisibleText text={username} />
        </strong>{" "}
        to continue. A new tab opens for this. This page stays as it is, with everything that you have entered.
      </div>
      <LiveRegion>{otherName !== undefined && <OtherUserAlert name={otherName} />}</LiveRegion>
    </SpaceBetween>
  </Dialog>
);

const OtherUserAlert = ({ name }: { name: string }) => (
  <Alert type="warning" header="Someone else has signed in">
    <span className="breakable">
      <VisibleText text={name} />
    </span>{" "}
    is now signed in, but this page belongs to another user. Switching users reloads the page and discards what you
    entered.
  </Alert>
);
