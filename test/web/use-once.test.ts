import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Once, useOnce } from "../../web/admin/parts/use-once.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

type Options = Parameters<typeof useOnce<string, string>>[1];

/** A component's work, which counts how often it is done, and fails on request. */
const once = (options?: Options) => {
  const work = vi.fn(async (input: string) => {
    if (input === "fail") throw new Error("failed");
    return input;
  });
  const found: Once<string, string, Error>[] = [];
  const Component = () => {
    found.push(useOnce(work, options));
    return null;
  };
  renderToStaticMarkup(createElement(Component));
  const [used] = found;
  if (!used) throw new Error("the component was not rendered");
  return { ...used, work };
};

test.for<[string, string, Options, number]>([
  ["does not run again after a success", "done", {}, 1],
  ["runs again after a success if it is repeatable", "done", { isRepeatable: true }, 2],
  ["runs again after a failure", "fail", {}, 2],
])("work does not run twice at once, and half a second later %s: %s", async ([, input, options, times]) => {
  const { run, isLockedNow, isRunningNow, hasJustBegun, work } = once(options);
  run(input);
  run(input);
  expect([work.mock.calls.length, isRunningNow(), hasJustBegun()]).toEqual([1, true, true]);
  await vi.advanceTimersByTimeAsync(499);
  run(input);
  expect([work.mock.calls.length, isLockedNow(), hasJustBegun()]).toEqual([1, true, true]);
  await vi.advanceTimersByTimeAsync(1);
  run(input);
  expect(work).toHaveBeenCalledTimes(times);
});

test("ignores the outcome of abandoned work, and lets other work start shortly after", async () => {
  const [onDone, onFailure] = [vi.fn(), vi.fn()];
  const { run, reset, isLockedNow, work } = once({ onDone, onFailure });
  for (const input of ["done", "fail"]) {
    run(input);
    reset();
    await vi.advanceTimersByTimeAsync(499);
    expect(isLockedNow()).toBe(true);
    await vi.advanceTimersByTimeAsync(1);
    expect(isLockedNow()).toBe(false);
  }
  expect([onDone, onFailure].flatMap(({ mock }) => mock.calls)).toEqual([]);
  run("fail");
  await vi.advanceTimersByTimeAsync(0);
  expect(onFailure).toHaveBeenCalledOnce();
  expect(work).toHaveBeenCalledTimes(3);
});
