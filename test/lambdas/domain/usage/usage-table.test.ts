import { expect, test } from "vitest";
import type { Refusal } from "../../../../lambdas/domain/usage/refusal.ts";
import type { UsageHour } from "../../../../lambdas/domain/usage/usage-record.ts";
import { usage as declaration } from "../../../../lambdas/domain/usage/usage-table.ts";
import { toItem } from "../../../../lambdas/dynamodb/records.ts";
import { absentId } from "../../../kit/support/tokens.ts";
import { loseNextResponse } from "../../support/client-requests.ts";
import { openTestStore } from "../../support/stores.ts";

const { store: usage, client, put, itemOf } = await openTestStore(declaration);

const hour = "2026-11-21T15:00:00.000Z";
const at = (minutes: number): string => new Date(Date.parse(hour) + minutes * 60_000).toISOString();

const empty: UsageHour = { hour, statuses: {}, codes: {}, leak_signals: 0, leaks: [], refusals: [] };
const share = (fields: Partial<UsageHour> = {}): UsageHour => ({ ...empty, statuses: { "2xx": 1 }, ...fields });

const refusal = (minute: number, fields: Partial<Refusal> = {}): Refusal => ({
  time: at(minute),
  code: "validation_failed",
  status: 422,
  source_ip: "198.51.100.7",
  route: "POST /api/v1/key",
  leak: false,
  ...fields,
});

/** Adds shares in turn, each as a separate batch. */
const add = async (id: string, ...shares: UsageHour[]) => {
  for (const [index, each] of shares.entries()) await usage.add(id, each, `batch ${index} of ${shares.length}`);
};
/** Returns a token's only hour. */
const only = async (id: string) => {
  const [found, ...others] = await usage.hours(id, hour);
  expect(others).toEqual([]);
  return found ?? empty;
};

test("sums the batches of a token's hour", async () => {
  const id = absentId();
  const one = share({ statuses: { "2xx": 3, "4xx": 1 }, codes: { key_not_found: 1 } });
  await add(id, one, share({ statuses: { "2xx": 2, "5xx": 1 }, codes: { unavailable: 1 }, leak_signals: 2 }));
  const codes = { key_not_found: 1, unavailable: 1 };
  expect(await only(id)).toEqual({ ...empty, statuses: { "2xx": 5, "4xx": 1, "5xx": 1 }, codes, leak_signals: 2 });
});

test("counts each of many batches once, despite fast and concurrent repetitions", async () => {
  const id = absentId();
  const batches = Array.from({ length: 150 }, (_, index) => `batch ${index}`);
  loseNextResponse(client);
  for (const [index, batch] of batches.entries()) {
    await usage.add(id, share(), batch);
    await usage.add(id, share(), batches[Math.max(0, index - 63)] ?? "");
  }
  await Promise.all([...batches.slice(-64), "new", "new"].map((batch) => usage.add(id, share(), batch)));
  expect(await only(id)).toMatchObject({ statuses: { "2xx": 151 } });
});

test("a token's hour shows the first and the last use, whatever the order of its batches", async () => {
  const id = absentId();
  const used = (first: number, last: number) => share({ first_used_at: at(first), last_used_at: at(last) });
  await add(id, used(20, 30), used(40, 50), used(5, 10), share({ statuses: { "4xx": 1 } }));
  expect(await only(id)).toMatchObject({ first_used_at: at(5), last_used_at: at(50) });
});

test.for([
  ["in one batch", [[1, 3, 2]]],
  ["in the order of the batches", [[1], [3]]],
  ["in another order of the batches", [[3], [1, 2]]],
] as const)("keeps the last rejection for each reason and address, newest first: %s", async ([, batches]) => {
  const id = absentId();
  const [leak, other] = [refusal(2, { leak: true }), refusal(4, { source_ip: "192.0.2.1" })];
  const shares = batches.map((minutes) => share({ refusals: minutes.map((minute) => refusal(minute)) }));
  await add(id, share({ refusals: [leak, other] }), ...shares);
  expect((await only(id)).refusals).toEqual([other, refusal(3), leak]);
});

test("a token's hour stays small whatever the callers and addresses, and leaks are not displaced by other rejections", async () => {
  const id = absentId();
  const leak = refusal(1, { code: "ip_not_allowed", leak: true });
  const flood = (batch: number) =>
    share({ refusals: Array.from({ length: 50 }, (_, n) => refusal(1, { source_ip: `2001:db8::${batch}:${n}` })) });
  await add(id, share({ refusals: [leak] }), ...Array.from({ length: 10 }, (_, batch) => flood(batch)));
  const { refusals } = await only(id);
  expect(refusals).toContainEqual(leak);
  expect(refusals.length).toBeLessThanOrEqual(12);
});

test("finds a token's hours from the requested one onwards, in order, and deletes them after eight days", async () => {
  const [id, other] = [absentId(), absentId()];
  await add(id, ...[2, 0, 1, -1].map((hours) => share({ hour: at(hours * 60) })));
  await add(other, share({ hour: at(180) }));
  expect((await usage.hours(id, hour)).map((found) => found.hour)).toEqual([hour, at(60), at(120)]);
  const { delete_at } = await itemOf({ subject: id, entry: hour });
  expect(delete_at?.N).toBe(String(Date.parse("2026-11-29T15:00:00Z") / 1000));
});

test("ignores unknown attributes of a token's hour", async () => {
  const id = absentId();
  const unknown = { status_of_next_year: "x", leak_4: 1, more: new Set(["x"]) };
  await put(toItem({ subject: id, entry: hour, ...unknown }));
  expect(await only(id)).toMatchObject({ leaks: [], refusals: [], statuses: {} });
});

/** Creates numbered addresses, each with one call. */
const address = (number: number, minute = number) => ({
  source_ip: `2001:db8::${(number + 1).toString(16)}`,
  first_at: at(minute),
  last_at: at(minute),
});
const addresses = (from: number, to: number, minute?: number) =>
  Array.from({ length: to - from }, (_, index) => address(from + index, minute));
const leaking = (...leaks: ReturnType<typeof address>[]) =>
  share({ leak_signals: leaks.length, leaks: leaks.map((leak) => ({ ...leak, calls: 1 })) });

test("an hour lists each leak address with its calls, whatever order they arrive in", async () => {
  const id = absentId();
  const again = leaking(...addresses(11, 21), address(1, 9), address(1, 2));
  await add(id, leaking(...addresses(2, 11)), leaking(address(1, 5)), again, leaking(address(1, 7)));
  const { leaks } = await only(id);
  expect(leaks).toHaveLength(20);
  expect(leaks).toContainEqual({ ...address(1), calls: 4, first_at: at(2), last_at: at(9) });
});

test("an hour's leak addresses are exact despite repeated or concurrent deliveries and lost responses", async () => {
  const id = absentId();
  const shares = addresses(0, 15).map((each) => leaking(each, address(99)));
  loseNextResponse(client);
  await usage.add(id, leaking(address(50), address(99, 50)), "first");
  for (let round = 0; round < 2; round += 1)
    await Promise.all([...shares, ...shares].map((each) => usage.add(id, each, each.leaks[0]?.source_ip ?? "")));

  const { leaks, leak_signals } = await only(id);
  expect(leak_signals).toBe(32);
  expect(leaks).toHaveLength(17);
  expect(leaks.reduce((sum, { calls }) => sum + calls, 0)).toBe(32);
  expect(leaks).toContainEqual({ ...address(99), calls: 16, first_at: at(50), last_at: at(99) });
});

test("an hour lists the first twenty leak addresses, and counts the calls from the rest", async () => {
  const id = absentId();
  const floods = [0, 1, 2, 3, 4].map((batch) => leaking(...addresses(2 + batch * 100, 102 + batch * 100, 30)));
  await add(id, leaking(address(1)), ...floods, leaking(address(1, 59)));
  const { leaks, leak_signals } = await only(id);
  expect({ named: leaks.length, leak_signals }).toEqual({ named: 20, leak_signals: 502 });
  expect(leaks[0]).toEqual({ ...address(1), calls: 2, last_at: at(59) });
  expect(leaks.slice(1).every(({ calls }) => calls === 1)).toBe(true);
});

const leakOf = async (id: string, since = at(0)) => (await usage.leaks(since)).find(({ token_id }) => token_id === id);

test("lists the leaks since a given time once per token, with the latest leak and every address", async () => {
  const [early, late] = [absentId(), absentId()];
  await usage.noteLeak(early, [address(1)]);
  await usage.noteLeak(late, [address(9)]);
  await usage.noteLeak(late, [address(5), address(7)]);
  const last = { token_id: late, time: at(9), source_ip: address(9).source_ip };
  expect(await leakOf(early, at(2))).toBeUndefined();
  expect(await leakOf(late, at(6))).toEqual({ ...last, addresses: [address(9), address(7)] });
  expect((await leakOf(late))?.addresses).toHaveLength(3);
});

test("a leak lists its first twenty addresses, and reports whether there were more", async () => {
  const id = absentId();
  await usage.noteLeak(id, [address(1)]);
  await usage.noteLeak(id, addresses(2, 302));
  const leak = await leakOf(id);
  expect(leak).toMatchObject({ time: at(301), unlisted_at: at(301) });
  expect(leak?.addresses).toHaveLength(20);
  expect(leak?.addresses[0]).toEqual(address(1));
  expect(await leakOf(id, at(302))).toBeUndefined();
});

test("a leak replaces an address that was last used eight days earlier with a new one", async () => {
  const id = absentId();
  const recent = address(99, 8 * 24 * 60 + 1);
  await usage.noteLeak(id, addresses(0, 20));
  await usage.noteLeak(id, [recent]);
  const found = (await leakOf(id))?.addresses;
  expect(found?.slice(-1)).toEqual([recent]);
  expect(found).toHaveLength(20);
  expect(found).not.toContainEqual(address(0));
});
