import { expect, test } from "vitest";
import type { TokenRecord } from "../../../../lambdas/domain/tokens/token-store.ts";
import type { UsageHour } from "../../../../lambdas/domain/usage/usage-record.ts";
import { hourMs, inMs } from "../../../kit/support/tokens.ts";
import { useAdmin } from "../../support/admin.ts";
import { stopClock } from "../../support/clock.ts";

const admin = useAdmin();

const hourOf = (time: string): string => `${time.slice(0, 13)}:00:00.000Z`;
const hoursAgo = (hours: number): string => inMs(-hours * hourMs);

/** Adds a call at this time to a token's usage. */
const add = (token_id: string, time: string, fields: Partial<UsageHour> = {}) => {
  const used = { statuses: { "2xx": 1 }, codes: {}, leak_signals: 0, leaks: [], refusals: [] };
  const hour = { hour: hourOf(time), ...used, first_used_at: time, last_used_at: time, ...fields };
  return admin.usage().add(token_id, hour, `at ${time}`);
};

const usageOf = async (token_id: string, fields: object = {}) =>
  Object(await admin.invoke({ action: "usage", token_id, ...fields }));

test("a token's usage covers the requested hours, and its first and last use cover seven days", async () => {
  stopClock();
  const { token_id } = await admin.stored();
  const [early, late] = [hoursAgo(30), inMs(0)];
  for (const time of [early, late]) await add(token_id, time);

  expect(await usageOf(token_id)).toEqual({
    token_id,
    from: hourOf(hoursAgo(23)),
    log_level: "info",
    hours: [{ hour: hourOf(late), statuses: { "2xx": 1 }, codes: {}, leak_signals: 0 }],
    refusals: [],
    leaks: { addresses: [], unlisted_calls: 0 },
    first_used_at: early,
    last_used_at: late,
    rotation: null,
  });
  const hours = [{ hour: hourOf(early) }, { hour: hourOf(late) }];
  expect(await usageOf(token_id, { hours: 168 })).toMatchObject({ hours });
});

test("lists a token's wrong addresses with their calls, latest first, and counts the calls from unlisted addresses", async () => {
  const { token_id } = await admin.stored();
  const [long, before, now] = [hoursAgo(100), hoursAgo(2), inMs(0)];
  const leak = (source_ip: string, at: string, calls: number) => ({ source_ip, calls, first_at: at, last_at: at });
  await add(token_id, long, { leak_signals: 1, leaks: [leak("192.0.2.3", long, 1)] });
  const leaks = [leak("192.0.2.1", before, 2), leak("192.0.2.2", before, 3)];
  await add(token_id, before, { leak_signals: 5, leaks });
  await add(token_id, now, { leak_signals: 9, leaks: [leak("192.0.2.1", now, 4)] });

  const addresses = [{ source_ip: "192.0.2.1", calls: 6, first_at: before, last_at: now }, leaks[1]];
  expect((await usageOf(token_id)).leaks).toEqual({ addresses, unlisted_calls: 5 });
});

const recent = { last_used_at: hoursAgo(1) };

test.for<[string, Partial<TokenRecord>, old: number[], successor: number[], used_since: boolean]>([
  ["shows when its successor was first used", {}, [3], [1, 0], false],
  ["is not complete while the old token is in use according to its hours", {}, [1], [], true],
  ["is not complete while the old token is in use according to its record", recent, [], [], true],
])("a rotation %s", async ([, fields, callsOfOld, callsOfSuccessor, used_since]) => {
  const { token_id: successor_id } = await admin.stored();
  const old = await admin.stored({ rotated_at: hoursAgo(2), successor_id, ...fields });
  for (const hours of callsOfOld) await add(old.token_id, hoursAgo(hours));
  const times = callsOfSuccessor.map(hoursAgo);
  for (const time of times) await add(successor_id, time);

  const successor_first_used_at = times[0] ?? null;
  const { rotation } = await usageOf(old.token_id);
  expect(rotation).toEqual({ rotated_at: old.rotated_at, successor_id, successor_first_used_at, used_since });
});

test("leaks are listed for seven days", async () => {
  const [{ token_id }, old] = [await admin.stored(), await admin.stored()];
  const [time, long] = [hoursAgo(167), hoursAgo(169)];
  const address = { source_ip: "192.0.2.66", first_at: time, last_at: time };
  await admin.usage().noteLeak(token_id, [address]);
  await admin.usage().noteLeak(old.token_id, [{ ...address, first_at: long, last_at: long }]);
  const leak = { token_id, time, source_ip: "192.0.2.66", addresses: [address], unlisted_at: null };
  expect(await admin.invoke({ action: "leaks" })).toEqual({ leaks: [leak] });
});
