import { useEffect } from "react";
import { onceReleased } from "./hold.ts";
import type { Session } from "./session.ts";

const otherTabs = new BroadcastChannel("session");

/** Tells the other tabs that the user signs out, who means all of them. */
export const tellSignedOut = (): void => otherTabs.postMessage("signed-out");

/** Calls `onEnd` when the session is over: by its time, or because the user signed out in another tab. */
export const useSessionEnd = ({ expiresAt }: Session, onEnd: () => void): void => {
  useEffect(() => {
    const end = () => onceReleased(onEnd);
    const timer = setTimeout(end, expiresAt - Date.now());
    otherTabs.addEventListener("message", end);
    return () => {
      clearTimeout(timer);
      otherTabs.removeEventListener("message", end);
    };
  }, [expiresAt, onEnd]);
};
