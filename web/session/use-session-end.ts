import { useEffect } from "react";
import { onceUnblocked } from "./blocker.ts";
import type { Session } from "./session.ts";

const otherTabs = new BroadcastChannel("session");

/** Signs the user out in the other tabs of this browser. */
export const announceSignOut = (): void => otherTabs.postMessage("signed-out");

interface SessionEnd {
  /** The session has expired. */
  onExpiry: () => void;
  /** The user signed out in another tab. */
  onSignOut: () => void;
}

/** Watches for the end of the session. Both functions must come from useCallback. */
export const useSessionEnd = ({ expiresAt }: Session, { onExpiry, onSignOut }: SessionEnd): void => {
  useEffect(() => {
    const timer = setTimeout(() => onceUnblocked(onExpiry), expiresAt - Date.now());
    return () => clearTimeout(timer);
  }, [expiresAt, onExpiry]);

  useEffect(() => {
    otherTabs.addEventListener("message", onSignOut);
    return () => otherTabs.removeEventListener("message", onSignOut);
  }, [onSignOut]);
};
