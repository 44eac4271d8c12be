import { describe, expect, test } from "vitest";
import type { Refusal } from "../../../../lambdas/resources/usage/refusal.ts";
import type { UsageHour } from "../../../../lambdas/resources/usage/usage-store.ts";
import { hourMs, inMs } from "../../../../tools/support/tokens.ts";
import { useAdmin } from "../../support/admin.ts";

const admin = useAdmin();

const hourOf = (time: string): string => `${time.slice(0, 13)}:00:00.000Z`;

const share = (time: string, fields: Partial<UsageHour> = {}): UsageHour => ({
  hour: hourOf(time),
  statuses: { "2xx": 1 },
  codes: {},
  leak_signals: 0,
  leaks: [],
  refusals: [],
  first_used_at: time,
  last_used_at: time,
  ...fields,
});

const refusal = (time: string, fields: Partial<Refusal> = {}): Refusal => ({
  ...{ time, code: "key_not_found", status: 404, source_ip: "198.51.100.7", route: "GET /api/v1/key/{key_id+}" },
  ...{ leak: false, ...fields },
});

const usageOf = (token_id: string, fields: object = {}) => admin.invoke({ action: "usage", token_id, ...fields });

describe("the use of a token", () => {
  test("covers the requested hours; the first and the last use are those of seven days", async () => {
    const { token_id } = await admin.stored();
    const [early, late] = [inMs(-30 * hourMs), inMs(0)];
    await admin.usage().add(token_id, share(early), "one");
    await admin.usage().add(token_id, share(late), "two");

    expect(await usageOf(token_id)).toEqual({
      token_id,
      from: hourOf(inMs(-23 * hourMs)),
      log_level: "info",
      hours: [{ hour: hourOf(late), statuses: { "2xx": 1 }, codes: {}, leak_signals: 0 }],
      refusals: [],
      leaks: { addresses: [], unlisted_calls: 0 },
      first_used_at: early,
      last_used_at: late,
      rotation: null,
    });
    expect(await usageOf(token_id, { hours: 168 })).toMatchObject({
      hours: [{ hour: hourOf(early) }, { hour: hourOf(late) }],
    });
  });

  test("has the last refusals, newest first, and no number of them displaces a leak", async () => {
    const { token_id } = await admin.stored();
    const leak = refusal(inMs(-50 * hourMs), { code: "ip_not_allowed", status: 403, leak: true });
    await admin.usage().add(token_id, share(leak.time, { leak_signals: 1, refusals: [leak] }), "leak");
    for (let hours = 40; hours > 0; hours -= 1) {
      const time = inMs(-hours * hourMs);
      await admin.usage().add(token_id, share(time, { refusals: [refusal(time)] }), "one");
    }

    const { refusals } = (await usageOf(token_id, { hours: 168 })) as { refusals: Refusal[] };
    expect(refusals).toHaveLength(11);
    expect(refusals.at(-1)).toEqual(leak);
    expect(refusals.map(({ time }) => time)).toEqual(
      refusals
        .map(({ time }) => time)
        .toSorted()
        .toReversed(),
    );
  });
});

describe("the wrong addresses of a token", () => {
  test("are named with their calls over all requested hours, the last one first, and further calls are counted", async () => {
    const { token_id } = await admin.stored();
    const [before, now] = [inMs(-2 * hourMs), inMs(0)];
    const leak = (source_ip: string, time: string, calls: number) => ({
      ...{ source_ip, calls, first_at: time, last_at: time },
    });
    const add = (time: string, leak_signals: number, leaks: UsageHour["leaks"]) =>
      admin.usage().add(token_id, share(time, { leak_signals, leaks }), time);
    await add(inMs(-100 * hourMs), 1, [leak("192.0.2.3", inMs(-100 * hourMs), 1)]);
    await add(before, 5, [leak("192.0.2.1", before, 2), leak("192.0.2.2", before, 3)]);
    await add(now, 9, [leak("192.0.2.1", now, 4)]);

    expect(await usageOf(token_id)).toMatchObject({
      leaks: {
        addresses: [{ source_ip: "192.0.2.1", calls: 6, first_at: before, last_at: now }, leak("192.0.2.2", before, 3)],
        unlisted_calls: 5,
      },
    });
  });
});

describe("a rotation", () => {
  const rotated = async (fields: object = {}) => {
    const successor = await admin.stored();
    const old = await admin.stored({ rotated_at: inMs(-2 * hourMs), successor_id: successor.token_id, ...fields });
    return { old, successor };
  };

  test("shows when its successor was first used", async () => {
    const { old, successor } = await rotated();
    await admin.usage().add(old.token_id, share(inMs(-3 * hourMs)), "before");
    await admin.usage().add(successor.token_id, share(inMs(-hourMs)), "first");
    await admin.usage().add(successor.token_id, share(inMs(0)), "second");

    expect(await usageOf(old.token_id)).toMatchObject({
      rotation: {
        rotated_at: old.rotated_at,
        successor_id: successor.token_id,
        successor_first_used_at: expect.stringContaining(hourOf(inMs(-hourMs)).slice(0, 13)),
        used_since: false,
      },
    });
  });

  test("is not complete while the old token is in use according to its hours or its record", async () => {
    const { old } = await rotated();
    await admin.usage().add(old.token_id, share(inMs(-hourMs)), "since");
    const { old: recorded } = await rotated({ last_used_at: inMs(-hourMs) });

    for (const { token_id } of [old, recorded]) {
      expect(await usageOf(token_id)).toMatchObject({ rotation: { used_since: true, successor_first_used_at: null } });
    }
  });
});

test("leaks are those of the last seven days", async () => {
  const { token_id } = await admin.stored();
  const old = await admin.stored();
  const time = inMs(-hourMs);
  const address = { source_ip: "192.0.2.66", first_at: time, last_at: time };
  const long = inMs(-200 * hourMs);
  await admin.usage().noteLeak(token_id, [address]);
  await admin.usage().noteLeak(old.token_id, [{ source_ip: "192.0.2.66", first_at: long, last_at: long }]);

  expect(await admin.invoke({ action: "leaks" })).toEqual({
    leaks: [{ token_id, time, source_ip: "192.0.2.66", addresses: [address], unlisted_at: null }],
  });

  const others = Array.from({ length: 20 }, (_, index) => ({ ...address, source_ip: `198.51.100.${index}` }));
  await admin.usage().noteLeak(token_id, others);
  const { leaks } = (await admin.invoke({ action: "leaks" })) as { leaks: { addresses: unknown[] }[] };
  expect(leaks).toMatchObject([{ token_id, unlisted_at: time }]);
  expect(leaks[0]?.addresses).toHaveLength(20);
});
