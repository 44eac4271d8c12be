import { useCallback, useEffect, useState } from "react";
import { onceUnblocked } from "./blocker.ts";
import { listenToOtherTabs, tellOtherTabs } from "./other-tabs.ts";
import { currentSession, forgetSession, remainingMs, type Session } from "./session.ts";

interface SessionEvents {
  /** Called when the user has signed out in another tab. */
  onSignOut: () => void;
  /** Called when the user has signed in again after the session had ended. */
  onRenewal: () => void;
}

export interface LiveSession {
  session: Session;
  /** Returns the current access token. Calls can use a new token before the next render. */
  accessToken: () => string;
  /** Reports that the service rejected an access token. The report is ignored if the token is no longer current. */
  refuse: (accessToken: string) => void;
  /** Set while the page waits for a new session. */
  end?: SessionEnd;
}

interface SessionEnd {
  /** Counts the reasons to remind the user: the end of the session, and each call that was rejected since. */
  reminders: number;
  /** The session of a different user, who has signed in instead. */
  otherUser?: Session;
}

/**
 * Manages the page's session. When the session ends, the page stays unchanged until the same user has signed in again in another
 * tab. While something blocks the page, the end of the session waits. The functions must come from useCallback.
 */
export const useSession = (first: Session, { onSignOut, onRenewal }: SessionEvents): LiveSession => {
  const [session, setSession] = useState(first);
  const [end, setEnd] = useState<SessionEnd>();
  const [current] = useState(() => currentSession(first));

  const refuse = useCallback(
    (accessToken: string) => {
      onceUnblocked(() => {
        if (!current.isEndedBy(accessToken)) return;
        forgetSession();
        setEnd((end) => ({ ...end, reminders: (end?.reminders ?? 0) + 1 }));
      });
    },
    [current],
  );

  useEffect(() => {
    const timer = setTimeout(() => refuse(session.accessToken), remainingMs(session));
    return () => clearTimeout(timer);
  }, [session, refuse]);

  const hasEnded = end !== undefined;
  useEffect(
    () =>
      listenToOtherTabs((message) => {
        if (message === "signed-out") onSignOut();
        if (typeof message === "string" || !hasEnded) return;
        tellOtherTabs("taken");
        if (!current.isOf(message.session)) {
          setEnd({ reminders: 1, otherUser: message.session });
          return;
        }
        current.renew(message.session);
        setSession(message.session);
        setEnd(undefined);
        onRenewal();
      }),
    [current, hasEnded, onSignOut, onRenewal],
  );

  return { session, accessToken: current.accessToken, refuse, ...(end && { end }) };
};
