import { useEffect, useEffectEvent } from "react";

/** What to do when the user attempts to leave, for each component that would lose something if the browser left the page. */
const blockers = new Set<() => void>();
const waiting: (() => void)[] = [];

/**
 * Keeps the page while `isBlocked`: the end of the session waits, the browser asks before it leaves the page, and links to other
 * pages of the interface call `onAttempt` instead.
 */
export const useBlocker = (isBlocked: boolean, onAttempt?: () => void): void => {
  const attempt = useEffectEvent(() => onAttempt?.());
  useEffect(() => {
    if (!isBlocked) return;
    const blocker = () => attempt();
    const askUser = (event: Event) => event.preventDefault();
    addEventListener("beforeunload", askUser);
    blockers.add(blocker);
    return () => {
      removeEventListener("beforeunload", askUser);
      blockers.delete(blocker);
      // Waits a moment, because another component may take over what this one kept.
      setTimeout(leaveIfUnblocked);
    };
  }, [isBlocked]);
};

const leaveIfUnblocked = (): void => {
  if (blockers.size === 0) for (const leave of waiting.splice(0)) leave();
};

/** Runs a function that leaves the page once nothing blocks it. */
export const onceUnblocked = (leave: () => void): void => {
  if (blockers.size === 0) leave();
  else waiting.push(leave);
};

/** Runs a function that leaves the current view, unless something blocks it. */
export const unlessBlocked = (leave: () => void): void => {
  if (blockers.size === 0) leave();
  else for (const attempt of blockers) attempt();
};
