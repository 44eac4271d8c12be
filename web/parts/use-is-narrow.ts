import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 48rem)");

const subscribe = (listener: () => void) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};

/** Whether there is the room of a phone only. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches);
