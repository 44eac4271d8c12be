import { useSyncExternalStore } from "react";

const phone = matchMedia("(width < 48rem)");
const tablet = matchMedia("(width < 75rem)");

export type Breakpoint = "phone" | "tablet" | "desktop";

const subscribe = (listener: () => void) => {
  const subscription = new AbortController();
  for (const width of [phone, tablet]) width.addEventListener("change", listener, subscription);
  return () => subscription.abort();
};

const currentBreakpoint = (): Breakpoint => (phone.matches ? "phone" : tablet.matches ? "tablet" : "desktop");

/** The breakpoint that the width of the window falls into. */
export const useBreakpoint = (): Breakpoint => useSyncExternalStore(subscribe, currentBreakpoint);
