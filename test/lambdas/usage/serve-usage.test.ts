import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { TokenRecord } from "../../../lambdas/domain/tokens/token-store.ts";
import { countLines } from "../../../lambdas/domain/usage/count-lines.ts";
import { readLogBatch } from "../../../lambdas/domain/usage/request-line.ts";
import { serveUsage } from "../../../lambdas/usage/serve-usage.ts";
import { lambdaContext } from "../../../tools/support/events.ts";
import { absentId, newToken, requestField } from "../../kit/support/tokens.ts";
import { noteOf } from "../../support/authors.ts";
import { logDelivery, requestEvent } from "../support/events.ts";
import { captureLog } from "../support/outcomes.ts";
import { senderWith } from "../support/senders.ts";
import { useStores } from "../support/stores.ts";

const { store } = useStores("usage", "tokens", "notices");
const topic = senderWith("topic");
const newHandler = () => {
  const serve = serveUsage({ senders: [topic] });
  return (delivery: unknown) => serve(delivery, lambdaContext);
};
let handler: ReturnType<typeof newHandler>;
beforeAll(() => {
  handler = newHandler();
});

const hour = "2026-11-21T15:00:00.000Z";
const time = "2026-11-21T15:10:00.000Z";
const good = (token_id: string) => requestEvent(hour, { token_id, status: 200, source_ip: "198.51.100.7" });
const refused = { status: 403, code: "ip_not_allowed", leak_signal: "right secret, wrong address" };
const leaked = (token_id: string, source_ip = "192.0.2.66") => requestEvent(time, { ...refused, token_id, source_ip });
const addresses = (count: number) => Array.from({ length: count }, (_, index) => `198.51.100.${index}`);

const stored = async (fields: Partial<TokenRecord> = {}): Promise<string> => {
  const { record } = newToken(fields);
  await store("tokens").insert(record, noteOf("issued"));
  return record.token_id;
};

/** Returns the notices sent about a token. */
const noticesOf = (id: string) => topic.attempts.flat().filter(({ token_id }) => token_id === id);

test("counts interrupted, repeated and simultaneous deliveries once, and records all their leaks", async () => {
  const id = absentId();
  const all = addresses(6);
  const deliveries = all.map((source_ip) => logDelivery([good(id), leaked(id, source_ip), leaked(id, all[0])]));
  // The hour was stored, but not the note of the leak.
  for (const { hour, batch } of deliveries.flatMap((delivery) => countLines(readLogBatch(delivery)).hourlyUsage))
    await store("usage").add(id, hour, batch);
  await Promise.all([...deliveries, deliveries[0]].map((delivery) => handler(delivery)));

  const [counted] = await store("usage").hours(id, hour);
  const leaks = [{ source_ip: all[0], calls: 7 }, {}, {}, {}, {}, {}];
  expect(counted).toMatchObject({ statuses: { "2xx": 6, "4xx": 12 }, leaks });
  const note = (await store("usage").leaks(hour)).find(({ token_id }) => token_id === id);
  expect(note?.addresses.map(({ source_ip }) => source_ip).toSorted()).toEqual(all.toSorted());
});

test("skips and logs a line that is unreadable or has a time out of range, and counts the others", async () => {
  const captured = captureLog();
  const id = absentId();
  const late = { ...good(id), id: "0", timestamp: 8.64e15 };
  await handler(logDelivery([late, { id: "1", timestamp: 0, message: "{}" }, good(id)]));

  expect(await store("usage").hours(id, hour)).toMatchObject([{ statuses: { "2xx": 1 } }]);
  expect(captured.lines()).toEqual([{ level: "ERROR", message: "usage_lines_not_read", lines: 2 }]);
});

test("a delivery that could not be stored fails, is logged, and is counted when it is repeated", async () => {
  const captured = captureLog();
  const ids = [absentId(), absentId(), absentId()];
  const delivery = logDelivery(ids.map(good));
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:9");
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(newHandler()(delivery)).rejects.toThrow("3 of 3 sums were not stored");
  expect(captured.lines()).toContainEqual(expect.objectContaining({ level: "ERROR", message: "usage_not_counted" }));

  await handler(delivery);
  for (const id of ids) expect(await store("usage").hours(id, hour)).toHaveLength(1);
});

test("reports a leak immediately, and once per address", async () => {
  const id = await stored({ comment: "billing sync" });
  const deliveries = ["192.0.2.1", "192.0.2.1", "192.0.2.2"].map((ip) => logDelivery([leaked(id, ip)]));
  for (const delivery of [...deliveries, ...deliveries]) await handler(delivery);
  const about = { kind: "token_leaked", comment: "billing sync" };
  expect(noticesOf(id)).toMatchObject(
    ["192.0.2.1", "192.0.2.2"].map((source_ip) => ({ ...about, details: { source_ip, seen_at: time } })),
  );
});

test("limits a token's notices to the number of addresses it can list, independently of other tokens", async () => {
  const [full, other] = [await stored(), await stored()];
  await handler(logDelivery(addresses(50).map((ip) => leaked(full, ip))));
  await handler(logDelivery([leaked(full, "192.0.2.99"), leaked(other, "192.0.2.99")]));
  expect([noticesOf(full).length, noticesOf(other).length]).toEqual([20, 1]);
});

test("a leak that cannot be reported fails the delivery, and is reported once when Lambda retries", async () => {
  const id = await stored();
  captureLog();
  const delivery = logDelivery([leaked(id)]);
  topic.fates.push("refused", "refused", "refused");
  await expect(handler(delivery)).rejects.toThrow("1 notices could not be sent");
  expect(noticesOf(id)).toEqual([]);
  for (let count = 0; count < 2; count += 1) await handler(delivery);
  expect(noticesOf(id)).toHaveLength(1);
});

test("reports a request for confirmation immediately and without its code", async () => {
  const ip = "203.0.113.50";
  const id = await stored({ request: requestField({ ip, code: "K7P-4XQ" }) });
  const line = { token_id: id, status: 202, source_ip: ip, confirmation: "requested" };
  await handler(logDelivery([requestEvent(hour, line)]));
  expect(noticesOf(id)).toMatchObject([{ kind: "confirmation_waiting", details: { ip } }]);
  expect(JSON.stringify(noticesOf(id))).not.toContain("K7P");
});
