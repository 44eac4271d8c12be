import { useSyncExternalStore } from "react";

const subscribe = (listener: () => void) => {
  const subscription = new AbortController();
  for (const event of ["online", "offline"]) addEventListener(event, listener, subscription);
  return () => subscription.abort();
};

/** Whether the browser is connected to a network. */
export const useIsOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);
