import { describe, expect, test } from "vitest";
import { ApiFailure } from "../../../../../../web/api/api-failure.ts";
import { canRetry, type Outcome, runEach } from "../../../../../../web/pages/api-settings/list/several/run-each.ts";

const items = Array.from({ length: 10 }, (_, index) => index);

/** Runs all items and returns what became of each, and how often each was sent. */
const outcomesOf = async (run: (item: number) => Promise<unknown>, stopper = new AbortController()) => {
  const outcomes = new Map<number, Outcome>();
  const sent: number[] = [];
  await runEach(items, {
    signal: stopper.signal,
    run: (item) => {
      sent.push(item);
      return run(item);
    },
    onOutcome: (item, outcome) => outcomes.set(item, outcome),
  });
  return { outcomes, sent };
};

const failing = (status: number, at: number) => async (item: number) => {
  if (item === at) throw new ApiFailure({ status });
};

describe("the same for several items", () => {
  test("is done for each exactly once, a few at a time", async () => {
    let [current, most] = [0, 0];
    const { outcomes, sent } = await outcomesOf(async () => {
      current += 1;
      most = Math.max(most, current);
      await Promise.resolve();
      current -= 1;
    });
    expect(sent).toEqual(items);
    expect([...outcomes.values()]).toEqual(items.map(() => "done"));
    expect(most).toBe(3);
  });

  test.each([409, 404, 500, 503])(
    "goes on after the refusal of one with %i, which is not sent again",
    async (status) => {
      const { outcomes, sent } = await outcomesOf(failing(status, 2));
      expect(sent).toEqual(items);
      expect(outcomes.get(2)).toMatchObject({ failure: { status } });
      expect([...outcomes.values()].filter((outcome) => outcome === "done")).toHaveLength(9);
    },
  );

  test.each([0, 401])("sends nothing more after a failure that would meet all (status %i)", async (status) => {
    const { outcomes, sent } = await outcomesOf(failing(status, 2));
    expect(outcomes.get(2)).toMatchObject({ failure: { status } });
    expect(sent.length).toBeLessThan(items.length);
    expect([...outcomes.keys()]).toEqual(sent);
  });

  test("sends nothing more once it is stopped", async () => {
    const stopper = new AbortController();
    const { sent } = await outcomesOf(async (item) => {
      if (item === 1) stopper.abort();
    }, stopper);
    expect(sent.length).toBeLessThan(items.length);
  });
});

test("only what can still succeed is offered to be tried again", () => {
  const failedWith = (status: number): Outcome => ({ failure: new ApiFailure({ status }) });
  const retriable: (Outcome | undefined)[] = [undefined, "waiting", ...[0, 401, 429, 500, 503].map(failedWith)];
  const final: Outcome[] = ["done", ...[400, 403, 404, 409, 422].map(failedWith)];
  expect(retriable.filter((outcome) => !canRetry(outcome))).toEqual([]);
  expect(final.filter(canRetry)).toEqual([]);
});
