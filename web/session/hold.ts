import { useEffect } from "react";

/** How many things on the page would be lost for good if the browser left it. */
let holds = 0;
const waiting: (() => void)[] = [];

/** Keeps the page while `isHeld`: the end of the session waits, and the browser asks the user before it leaves. */
export const useHold = (isHeld: boolean): void => {
  useEffect(() => {
    if (!isHeld) return;
    const ask = (event: Event) => event.preventDefault();
    addEventListener("beforeunload", ask);
    holds += 1;
    return () => {
      removeEventListener("beforeunload", ask);
      holds -= 1;
      if (holds === 0) for (const leave of waiting.splice(0)) leave();
    };
  }, [isHeld]);
};

/** Does something that leaves the page, as soon as nothing holds it. */
export const onceReleased = (leave: () => void): void => {
  if (holds === 0) leave();
  else waiting.push(leave);
};
