import { describe, expect, test } from "vitest";
import { ApiFailure } from "../../web/admin/api/api-failure.ts";
import { canRetry, type Outcome, planFor, runEach } from "../../web/admin/pages/tokens/list/several.ts";
import { exampleInvitation, exampleToken, inDays, now } from "./record-examples.ts";

const items = Array.from({ length: 10 }, (_, index) => index);

/** Runs all items, and returns each one's outcome and how often each was sent. */
const outcomesOf = async (run: (item: number) => Promise<unknown>, stopper = new AbortController()) => {
  const outcomes = new Map<number, Outcome>();
  const sent: number[] = [];
  const counted = (item: number) => {
    sent.push(item);
    return run(item);
  };
  await runEach(items, counted, (item, outcome) => outcomes.set(item, outcome), stopper.signal);
  return { outcomes, sent };
};

const failing = (status: number) => async (item: number) => {
  if (item === 2) throw new ApiFailure({ status });
};

describe("an action on several items", () => {
  test("is performed exactly once for each, a few at a time", async () => {
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

  test.each([409, 404, 500, 503])("continues after a rejection with %i and does not retry it", async (status) => {
    const { outcomes, sent } = await outcomesOf(failing(status));
    expect(sent).toEqual(items);
    expect(outcomes.get(2)).toMatchObject({ status });
    expect([...outcomes.values()].filter((outcome) => outcome === "done")).toHaveLength(9);
  });

  test.each([0, 401])(
    "keeps what is done, and stops after a failure that would affect all items (status %i)",
    async (status) => {
      const { outcomes, sent } = await outcomesOf(failing(status));
      expect(outcomes.get(2)).toMatchObject({ status });
      expect(sent.length).toBeLessThan(items.length);
      expect([...outcomes.keys()]).toEqual(sent);
      expect(sent.filter((item) => outcomes.get(item) !== "done")).toEqual([2]);
      expect(items.filter((item) => canRetry(outcomes.get(item)))).toEqual([2, ...items.slice(sent.length)]);
    },
  );

  test("sends nothing after it is stopped", async () => {
    const stopper = new AbortController();
    const { sent } = await outcomesOf(async (item) => item === 1 && stopper.abort(), stopper);
    expect(sent.length).toBeLessThan(items.length);
  });
});

test("offers a retry only for items that can still succeed", () => {
  const failedWith = (status: number): Outcome => new ApiFailure({ status });
  const retriable: (Outcome | undefined)[] = [undefined, ...[0, 401, 429, 500, 503].map(failedWith)];
  const final: Outcome[] = ["done", ...[400, 403, 404, 409, 422].map(failedWith)];
  expect(retriable.filter((outcome) => !canRetry(outcome))).toEqual([]);
  expect(final.filter(canRetry)).toEqual([]);
});

describe("the plan for several tokens", () => {
  const active = exampleToken({ last_used_at: inDays(-1) });
  const idle = exampleToken({ last_used_at: inDays(-20) });
  const invited = exampleInvitation();
  const rotated = exampleToken({ successor_id: "x", expires_at: inDays(1) });
  const expired = { token: exampleToken({ expires_at: inDays(0) }), reason: "It has expired." };
  const revoked = { token: exampleToken({ state: "revoked" }), reason: "It was revoked." };
  const selected = [active, idle, invited, rotated, expired.token, revoked.token];

  test("revokes live tokens, including rotated tokens and invitations, and says why it skips others", () => {
    const tokens = [active, idle, invited, rotated];
    expect(planFor("revoke", selected, now)).toEqual({ tokens, skipped: [expired, revoked], inUseCount: 1 });
  });

  test("changes neither the expiry of rotated tokens nor that of unredeemed invitations", () => {
    const tooEarly = { token: invited, reason: "Its invitation has not been redeemed yet." };
    const tooLate = { token: rotated, reason: "It was rotated: its grace period decides when it ends." };
    const skipped = [tooEarly, tooLate, expired, revoked];
    expect(planFor("expiry", selected, now)).toEqual({ tokens: [active, idle], skipped, inUseCount: 1 });
  });
});
