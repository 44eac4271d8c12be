import { useSyncExternalStore } from "react";

const phone = matchMedia("(width < 48rem)");
const tablet = matchMedia("(width < 75rem)");

export type Breakpoint = "phone" | "tablet" | "desktop";

const currentBreakpoint = (): Breakpoint => (phone.matches ? "phone" : tablet.matches ? "tablet" : "desktop");

const subscribeTo = (targets: readonly EventTarget[], events: readonly string[]) => (listener: () => void) => {
  const subscription = new AbortController();
  for (const target of targets) for (const event of events) target.addEventListener(event, listener, subscription);
  return () => subscription.abort();
};

const toWidths = subscribeTo([phone, tablet], ["change"]);
const toNetwork = subscribeTo([globalThis], ["online", "offline"]);

/** Returns the breakpoint for the window's current width. */
export const useBreakpoint = (): Breakpoint => useSyncExternalStore(toWidths, currentBreakpoint);

/** Whether the browser is connected to a network. */
export const useIsOnline = (): boolean => useSyncExternalStore(toNetwork, () => navigator.onLine);
