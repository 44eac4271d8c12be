import { onTestFinished, vi } from "vitest";

/** Stops the clock during a test, so many milliseconds from now. Returns a function that moves it forward. */
export const stopClock = (aheadMs = 0) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + aheadMs });
  onTestFinished(() => void vi.useRealTimers());
  return (milliseconds: number): void => void vi.setSystemTime(Date.now() + milliseconds);
};
