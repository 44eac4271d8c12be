import Alert from "@cloudscape-design/components/alert";
import Button from "@cloudscape-design/components/button";
import { useState } from "react";
import type { LiveSession } from "../session/use-session.ts";
import { SessionEndedDialog } from "./session-ended-dialog.tsx";

interface SessionEndedProps {
  live: LiveSession;
  /** Loads the page again for the user who has signed in, without what was entered. */
  onSwitchUser: () => void;
}

/** Asks the user to sign in again. The dialog can be put aside, for example to copy something; a message then remains. */
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
