import { expect, onTestFinished, test, vi } from "vitest";
import { clientActor, refuse, untilMade } from "../../../../../lambdas/resources/tokens/by-client/client-changes.ts";
import { inMs, newToken } from "../../../../../tools/support/tokens.ts";
import { apiErrorOf } from "../../../support/rejection.ts";

const { record } = newToken();
const changed = { ...record, comment: "changed meanwhile" };

test("a step that makes its change is taken once, with the record and the current time", async () => {
  const step = vi.fn(async () => ({ outcome: "done" }));

  expect(await untilMade(record, step)).toEqual({ outcome: "done" });
  expect(step).toHaveBeenCalledExactlyOnceWith(record, expect.stringMatching(/^\d{4}-.*Z$/));
});

test("a step that another change has overtaken is taken again with the record and the time that are current then", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const began = inMs(0);
  const step = vi.fn(async (seen: object, _now: string) => {
    vi.advanceTimersByTime(1);
    return seen === changed ? { outcome: "done" } : { current: changed };
  });

  expect(await untilMade<object>(record, step)).toEqual({ outcome: "done" });
  expect(step.mock.calls).toEqual([
    [record, began],
    [changed, inMs(-1)],
  ]);
});

test.for([
  ["after three tries", changed, 3],
  ["at once if the record is gone", undefined, 1],
] as const)("a step is given up %s", async ([, current, tries]) => {
  const step = vi.fn(async () => ({ current }));

  expect(await apiErrorOf(untilMade(record, step))).toMatchObject({
    code: "unavailable",
    cause: { message: "Other changes of the same token came first." },
  });
  expect(step).toHaveBeenCalledTimes(tries);
});

test("a refusal has a code and what its response and its log line need", () => {
  const options = { facts: { token_id: record.token_id } };

  expect(refuse("token_expired", options)).toEqual({ outcome: "refused", code: "token_expired", options });
});

test("a client's change is made by its token from its address", () => {
  expect(clientActor({ token_id: "01ARZ" }, "203.0.113.9")).toBe("token:01ARZ:203.0.113.9");
});
