import { useSyncExternalStore } from "react";

const phone = matchMedia("(max-width: 48rem)");
const tablet = matchMedia("(max-width: 75rem)");

/** How much can stand side by side. */
export type Room = "phone" | "tablet" | "desk";

const subscribe = (listener: () => void) => {
  const changes = new AbortController();
  for (const width of [phone, tablet]) width.addEventListener("change", listener, changes);
  return () => changes.abort();
};

const currentRoom = (): Room => (phone.matches ? "phone" : tablet.matches ? "tablet" : "desk");

/** How much room there is now. */
export const useRoom = (): Room => useSyncExternalStore(subscribe, currentRoom);
