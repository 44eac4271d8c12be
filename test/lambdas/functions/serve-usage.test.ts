import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { serveUsage } from "../../../lambdas/functions/serve-usage.ts";
import * as declaredTables from "../../../lambdas/resources/tables.ts";
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
const leaked = (token_id: string) =>
  requestEvent("2026-11-21T15:10:00.000Z", {
    ...{ token_id, status: 403, code: "ip_not_allowed", source_ip: "192.0.2.66" },
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

  expect(await usage.leaks(hour)).toContainEqual({
    token_id: id,
    time: "2026-11-21T15:10:00.000Z",
    source_ip: "192.0.2.66",
  });
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
