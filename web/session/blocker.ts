import { useEffect, useEffectEvent } from "react";

/** The components that hold something that would be lost if the browser left the page: what each does on an attempt. */
const blockers = new Set<() => void>();
const waiting: (() => void)[] = [];

/**
 * Keeps the page while `isBlocked`: the end of the session waits, the browser asks the user before it leaves, and a link to
 * another page of the interface leads to `onAttempt`.
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
      // Not at once: another component may take over what this one kept.
      setTimeout(leaveIfUnblocked);
    };
  }, [isBlocked]);
};

const leaveIfUnblocked = (): void => {
  if (blockers.size === 0) for (const leave of waiting.splice(0)) leave();
};

/** Runs a function that leaves the page, as soon as nothing blocks it. */
export const onceUnblocked = (leave: () => void): void => {
  if (blockers.size === 0) leave();
  else waiting.push(leave);
};

/** Runs a function that leaves what is shown, unless something blocks it. */
export const unlessBlocked = (leave: () => void): void => {
  if (blockers.size === 0) leave();
  else for (const attempt of blockers) attempt();
};
