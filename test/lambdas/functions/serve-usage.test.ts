import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { NotSent, type Sender } from "../../../lambdas/functions/notices/channels.ts";
import { serveUsage } from "../../../lambdas/functions/serve-usage.ts";
import type { Notice } from "../../../lambdas/resources/notices/notice.ts";
import { tables as declaredTables, type StoreName } from "../../../lambdas/resources/stores.ts";
import type { TokenStore } from "../../../lambdas/resources/tokens/token-store.ts";
import { countLines } from "../../../lambdas/resources/usage/count-lines.ts";
import { readLogBatch } from "../../../lambdas/resources/usage/request-line.ts";
import type { UsageStore } from "../../../lambdas/resources/usage/usage-store.ts";
import { tableVariable } from "../../../lambdas/resources/uses.ts";
import { absentId, newToken } from "../../../tools/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { captureLog } from "../support/captured-log.ts";
import { useDatabase } from "../support/database.ts";
import { logDelivery, requestEvent } from "../support/log-delivery.ts";

const database = useDatabase();
let handler: ReturnType<typeof serveUsage>;
let usage: UsageStore;
let tokens: TokenStore;
beforeAll(async () => {
  const place = async (name: StoreName) => {
    const { client, table: tableName } = await database.newTable(declaredTables[name]);
    vi.stubEnv(tableVariable(name), tableName);
    return { client, tableName };
  };
  usage = openStore(declaredTables.usage, await place("usage"));
  tokens = openStore(declaredTables.tokens, await place("tokens"));
  await place("notices");
  handler = serveUsage({ senders });
});

/** The messages that were sent. */
const sent: Notice[] = [];
let isRefused = false;
const senders: Sender[] = [
  {
    channel: "topic",
    batchSize: 10,
    async send(notices) {
      if (isRefused) throw new NotSent("refused");
      sent.push(...notices);
      return new Set();
    },
  },
];

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
  // As many concurrent invocations as a stage allows.
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
  await expect(serveUsage({ senders })(delivery)).rejects.toThrow("3 of 3 sums were not stored");
  expect(captured.lines()).toContainEqual(expect.objectContaining({ level: "ERROR", message: "usage_not_counted" }));

  await handler(delivery);
  for (const id of ids) expect(await usage.hours(id, hour)).toHaveLength(1);
});

test("a line that cannot be read is logged, and does not make the delivery fail", async () => {
  const captured = captureLog();
  await handler(logDelivery([{ id: "1", timestamp: 0, message: "{}" }]));

  expect(captured.lines()).toEqual([{ level: "ERROR", message: "usage_lines_not_read", lines: 1 }]);
});

test("a leak is reported at once, and once for each address", async () => {
  const { record } = newToken({ comment: "billing sync" });
  await tokens.insert(record, noteOf("issued"));
  const { token_id } = record;
  const deliveries = ["192.0.2.1", "192.0.2.1", "192.0.2.2"].map((ip) => logDelivery([leaked(token_id, ip)]));
  for (const delivery of [...deliveries, ...deliveries]) await handler(delivery);

  const ofToken = sent.filter((notice) => notice.token_id === token_id);
  expect(ofToken).toMatchObject(
    ["192.0.2.1", "192.0.2.2"].map((source_ip) => ({
      kind: "token_leaked",
      comment: "billing sync",
      details: { source_ip, seen_at: "2026-11-21T15:10:00.000Z" },
    })),
  );
});

test("a token that leaks to any number of addresses causes no more notices than it names addresses", async () => {
  const { record } = newToken();
  await tokens.insert(record, noteOf("issued"));
  const addresses = Array.from({ length: 50 }, (_, index) => `198.51.100.${index}`);
  await handler(logDelivery(addresses.map((ip) => leaked(record.token_id, ip))));
  expect(sent.filter(({ token_id }) => token_id === record.token_id)).toHaveLength(20);
});

test("a leak that cannot be reported fails the delivery, and is reported once when Lambda repeats it", async () => {
  const { record } = newToken();
  await tokens.insert(record, noteOf("issued"));
  captureLog();
  const delivery = logDelivery([leaked(record.token_id)]);
  isRefused = true;
  await expect(handler(delivery)).rejects.toThrow("1 notices could not be sent");
  isRefused = false;
  expect(sent.filter(({ token_id }) => token_id === record.token_id)).toEqual([]);

  for (let count = 0; count < 2; count += 1) await handler(delivery);
  expect(sent.filter(({ token_id }) => token_id === record.token_id)).toHaveLength(1);
});

test("an address that is too many for one token makes no notice of it because it is named for another one", async () => {
  const [full, other] = [newToken().record, newToken().record];
  for (const record of [full, other]) await tokens.insert(record, noteOf("issued"));
  const addresses = Array.from({ length: 20 }, (_, index) => `198.51.100.${index}`);
  await handler(logDelivery(addresses.map((ip) => leaked(full.token_id, ip))));
  await handler(logDelivery([leaked(full.token_id, "192.0.2.99"), leaked(other.token_id, "192.0.2.99")]));
  expect(sent.filter(({ token_id }) => token_id === full.token_id)).toHaveLength(20);
  expect(sent.filter(({ token_id }) => token_id === other.token_id)).toHaveLength(1);
});

test("a request for confirmation is reported at once, without its code", async () => {
  const request = {
    ip: "203.0.113.50",
    code: "K7P-4XQ",
    requested_at: new Date().toISOString(),
    first_at: new Date().toISOString(),
    attempts: 1,
  };
  const { record } = newToken({ request: JSON.stringify(request) });
  await tokens.insert(record, noteOf("issued"));
  const line = { token_id: record.token_id, status: 202, source_ip: request.ip, confirmation: "requested" };
  await handler(logDelivery([requestEvent(hour, line)]));
  const [notice] = sent.filter(({ token_id }) => token_id === record.token_id);
  expect(notice).toMatchObject({ kind: "confirmation_waiting", details: { ip: request.ip } });
  expect(JSON.stringify(notice)).not.toContain(request.code);
});
