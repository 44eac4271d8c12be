import { useCallback, useEffect, useState } from "react";
import { onceUnblocked } from "./blocker.ts";
import { listenToOtherTabs, tellOtherTabs } from "./other-tabs.ts";
import { currentSession, forgetSession, remainingMs, type Session } from "./session.ts";

interface SessionEvents {
  /** The user signed out in another tab. */
  onSignOut: () => void;
  /** The user has signed in again, after the session had ended. */
  onRenewal: () => void;
}

export interface LiveSession {
  session: Session;
  /** Calls can be made with it at once, before anything is rendered again. */
  accessToken: () => string;
  /** The service does not accept the access token. Ignored if it is no longer the current one. */
  refuse: (accessToken: string) => void;
  /** Set while the page waits for a new session. */
  end?: SessionEnd;
}

interface SessionEnd {
  /** Counts the reasons to remind the user: the end itself, and each call that was refused since then. */
  reminders: number;
  /** The session of another user, who has signed in instead. */
  otherUser?: Session;
}

/**
 * The session of this page. When it ends, the page stays as it is until the same user has signed in again in another window. While
 * something blocks the page, its end waits. The functions must come from useCallback.
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
