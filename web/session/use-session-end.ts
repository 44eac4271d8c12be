import { useEffect } from "react";
import { onceReleased } from "./hold.ts";
import type { Session } from "./session.ts";

const otherTabs = new BroadcastChannel("session");

/** Tells the other tabs that the user signs out, who means all of them. */
export const tellSignedOut = (): void => otherTabs.postMessage("signed-out");

interface SessionEnd {
  /** The time of the session is over. */
  onExpiry: () => void;
  /** The user signed out in another tab. */
  onSignOut: () => void;
}

/** Tells of the end of the session. Both functions must come from useCallback. */
export const useSessionEnd = ({ expiresAt }: Session, { onExpiry, onSignOut }: SessionEnd): void => {
  useEffect(() => {
    const timer = setTimeout(() => onceReleased(onExpiry), expiresAt - Date.now());
    return () => clearTimeout(timer);
  }, [expiresAt, onExpiry]);

  useEffect(() => {
    otherTabs.addEventListener("message", onSignOut);
    return () => otherTabs.removeEventListener("message", onSignOut);
  }, [onSignOut]);
};
