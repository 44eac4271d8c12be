import { useEffect } from "react";

/** How many components hold something that would be lost if the browser left the page. */
let blockers = 0;
const waiting: (() => void)[] = [];

/** Keeps the page while `isBlocked`: the end of the session waits, and the browser asks the user before it leaves. */
export const useBlocker = (isBlocked: boolean): void => {
  useEffect(() => {
    if (!isBlocked) return;
    const askUser = (event: Event) => event.preventDefault();
    addEventListener("beforeunload", askUser);
    blockers += 1;
    return () => {
      removeEventListener("beforeunload", askUser);
      blockers -= 1;
      if (blockers === 0) for (const leave of waiting.splice(0)) leave();
    };
  }, [isBlocked]);
};

/** Runs a function that leaves the page, as soon as nothing blocks it. */
export const onceUnblocked = (leave: () => void): void => {
  if (blockers === 0) leave();
  else waiting.push(leave);
};
