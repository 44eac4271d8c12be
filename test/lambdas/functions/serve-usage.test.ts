import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { serveUsage } from "../../../lambdas/functions/serve-usage.ts";
import * as declaredTables from "../../../lambdas/resources/tables.ts";
import { countLines } from "../../../lambdas/resources/usage/count-lines.ts";
import { readLogBatch } from "../../../lambdas/resources/usage/log-batch.ts";
import type { UsageStore } from "../../../lambdas/resources/usage/usage-store.ts";
import { absentId } from "../../../tools/support/tokens.ts";
import { captureLog } from "../support/captured-log.ts";
import { useDatabase } from "../support/database.ts";
import { logDelivery, requestEvent } from "../support/log-delivery.ts";

const database = useDatabase();
let handler: ReturnType<typeof serveUsage>;
let usage: UsageStore;
beforeAll(async () => {
  const { client, table } = await database.newTable("subject", "entry");
  vi.stubEnv("USAGE_TABLE", table);
  handler = serveUsage();
  usage = openStore(declaredTables.usage, { client, tableName: table });
});

const hour = "2026-11-21T15:00:00.000Z";
const good = (token_id: string) => requestEvent(hour, { token_id, status: 200, source_ip: "198.51.100.7" });
const leaked = (token_id: string, source_ip = "192.0.2.66") =>
  requestEvent("2026-11-21T15:10:00.000Z", {
    ...{ token_id, status: 403, code: "ip_not_allowed", source_ip },
    leak_signal: "right secret, wrong address",
  });

test("a delivery is counted for each token, and only once if it is repeated", async () => {
  const ids = Array.from({ length: 45 }, absentId);
  const delivery = logDelivery(ids.flatMap((id) => [good(id), good(id)]));
  await handler(delivery);
  await handler(delivery);

  for (const id of ids) expect(await usage.hours(id, hour)).toMatchObject([{ statuses: { "2xx": 2 } }]);
});

test("a correct secret from a wrong address is recorded with that address", async () => {
  const id = absentId();
  await handler(logDelivery([good(id), leaked(id)]));

  const time = "2026-11-21T15:10:00.000Z";
  expect(await usage.leaks(hour)).toContainEqual({
    ...{ token_id: id, time, source_ip: "192.0.2.66" },
    addresses: [{ source_ip: "192.0.2.66", first_at: time, last_at: time }],
  });
});

test("each address from which a token leaked is named, also after deliveries that are repeated and stopped half-way", async () => {
  const id = absentId();
  const addresses = Array.from({ length: 20 }, (_, index) => `192.0.2.${index}`);
  const deliveries = addresses.map((source_ip) => logDelivery([leaked(id, source_ip), leaked(id, "192.0.2.0")]));
  // The hour was stored, the note of the leak was not.
  for (const { hour, batch } of deliveries.flatMap((delivery) => countLines(readLogBatch(delivery)).hourlyUsage)) {
    await usage.add(id, hour, batch);
  }
  // As many at once as may run in a stage.
  for (let first = 0; first < deliveries.length; first += 4) {
    const some = deliveries.slice(first, first + 4);
    await Promise.all([...some, some[0]].map((delivery) => handler(delivery)));
  }

  const [stored] = await usage.hours(id, hour);
  const note = (await usage.leaks(hour)).find(({ token_id }) => token_id === id);
  const namesOf = (leaks: { source_ip: string }[] = []) => new Set(leaks.map(({ source_ip }) => source_ip));
  expect(namesOf(stored?.leaks)).toEqual(new Set(addresses));
  expect(namesOf(note?.addresses)).toEqual(new Set(addresses));
  expect({ signals: stored?.leak_signals, first: stored?.leaks[0]?.calls }).toEqual({ signals: 40, first: 21 });
});

test("a line with a time out of range is skipped and logged, and the rest of its delivery is counted", async () => {
  const captured = captureLog();
  const id = absentId();
  const damaged = ["soon", null, -1, 8.64e15, 1.5].map((timestamp, index) => ({
    ...good(id),
    id: `bad ${index}`,
    timestamp,
  }));
  await handler(logDelivery([...damaged, good(id)]));

  expect(await usage.hours(id, hour)).toMatchObject([{ statuses: { "2xx": 1 } }]);
  expect(captured.lines()).toEqual([{ level: "ERROR", message: "usage_lines_not_read", lines: 5 }]);
});

test("a delivery that could not be stored fails, is logged, and is counted when it is repeated", async () => {
  const captured = captureLog();
  const ids = [absentId(), absentId(), absentId()];
  const delivery = logDelivery(ids.map(good));
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:9");
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(serveUsage()(delivery)).rejects.toThrow("3 of 3 sums were not stored");
  expect(captured.lines()).toContainEqual(expect.objectContaining({ level: "ERROR", message: "usage_not_counted" }));

  await handler(delivery);
  for (const id of ids) expect(await usage.hours(id, hour)).toHaveLength(1);
});

test("a line that cannot be read is logged, and does not make the delivery fail", async () => {
  const captured = captureLog();
  await handler(logDelivery([{ id: "1", timestamp: 0, message: "{}" }]));

  expect(captured.lines()).toEqual([{ level: "ERROR", message: "usage_lines_not_read", lines: 1 }]);
});
