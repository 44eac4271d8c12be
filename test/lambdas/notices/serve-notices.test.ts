import { DeleteItemCommand, DynamoDBClient, UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test, vi } from "vitest";
import { type StoreName, type Stores, tables } from "../../../lambdas/domain/built-in-stores.ts";
import type { Notice } from "../../../lambdas/domain/notices/notice.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { archiveHistories } from "../../../lambdas/notices/archive-histories.ts";
import type { Sender } from "../../../lambdas/notices/channels.ts";
import { deliver } from "../../../lambdas/notices/deliver.ts";
import { serveNotices } from "../../../lambdas/notices/serve-notices.ts";
import { lambdaContext } from "../../../tools/support/events.ts";
import { dayMs, inMs, newToken } from "../../kit/support/tokens.ts";
import { author, noteOf } from "../../support/authors.ts";
import { loseNextResponse } from "../support/client-requests.ts";
import { stopClock } from "../support/clock.ts";
import { captureLog } from "../support/outcomes.ts";
import { senderWith } from "../support/senders.ts";
import { useStores } from "../support/stores.ts";

const { store, tableOf } = useStores("tokens", "keys", "history", "notices");
const vCode = "v".repeat(64);
const about = { token_id: null, comment: "", client: null, ip: null };

const run = async (senders: Sender[]) => {
  captureLog();
  return serveNotices({ senders })({ task: "daily" }, lambdaContext);
};

const later = (days: number) => stopClock(days * dayMs);

const ids = (attempts: Notice[][]) => attempts.flat().map(({ notice_id }) => notice_id.split(":")[0]);

const addUnused = async () => {
  const { record } = newToken({ issued_at: inMs(-100 * dayMs) });
  await store("tokens").insert(record, noteOf("issued"));
};

test("sends a new notice once on each channel, in batches, and never again", async () => {
  for (let count = 0; count < 3; count += 1) await addUnused();
  const senders = [senderWith("topic"), senderWith("bus")];
  await run(senders);
  await run(senders);
  later(1);
  await run(senders);
  for (const { attempts } of senders) {
    expect(attempts.map(({ length }) => length)).toEqual([2, 1]);
    expect(new Set(attempts.flat().map(({ token_id }) => token_id)).size).toBe(3);
  }
});

test("batches and notices stay within the size limit of a topic or bus, whatever they contain", async () => {
  const long = "x".repeat(9_900);
  const details = { channel: "topic", notice_ids: long };
  for (let index = 0; index < 60; index += 1) {
    const notice_id = `delivery_uncertain:long ${index}`;
    await store("notices").add({ ...about, notice_id, kind: "delivery_uncertain", details }, inMs(0));
  }
  const topic = { ...senderWith("topic", Array(60).fill("lost")), batchSize: 100 };
  await expect(run([topic, senderWith("bus")])).rejects.toThrow("60 notices may not have arrived");
  const largest = Math.max(...topic.attempts.map((attempt) => Buffer.byteLength(JSON.stringify(attempt))));
  expect(largest).toBeGreaterThan(200_000);
  expect(largest).toBeLessThan(256_000);

  later(1);
  const next = senderWith("topic");
  await run([next, senderWith("bus")]);
  const named = next.attempts.flat().map(({ details }) => details.notice_ids ?? "");
  expect(named.map((text) => text.replace(long, "…")).toSorted()).toEqual(
    topic.attempts.map(({ length }) => `…, and ${length - 1} more`).toSorted(),
  );
});

test("keeps a notice if the database fails while notices are claimed", async () => {
  await addUnused();
  const topic = senderWith("topic");
  const { notices } = await store("notices").list({ limit: 1000 });
  expect(notices.every((record) => record.topic !== "pending")).toBe(true);
  await expect(run([senderWith("topic", ["refused", "refused", "refused"]), senderWith("bus")])).rejects.toThrow();
  const pending = (await store("notices").list({ limit: 1000 })).notices.filter((record) => record.topic === "pending");

  const failing = {
    claim: async (...claimed: Parameters<Stores["notices"]["claim"]>) => {
      await store("notices").claim(...claimed);
      throw new Error("the response was lost");
    },
    settle: store("notices").settle,
  };
  await expect(deliver(pending, { store: failing, senders: [topic] })).rejects.toThrow("the response was lost");
  await deliver(pending, { store: store("notices"), senders: [topic] });
  expect(ids(topic.attempts)).toEqual(["token_unused"]);
});

/** Damages a stored record. The returned function deletes it. */
const damage = async (place: StoreName, name: string, id: string, attribute: string) => {
  const { client, tableName: TableName } = tableOf(place);
  const Key = { [name]: { S: id } };
  const command = new UpdateItemCommand({
    TableName,
    Key,
    UpdateExpression: "SET #damaged = :damaged",
    ExpressionAttributeNames: { "#damaged": attribute },
    ExpressionAttributeValues: { ":damaged": { S: "damaged" } },
  });
  await client.send(command);
  return () => client.send(new DeleteItemCommand({ TableName, Key }));
};

test("a damaged record makes the run fail with its name, but everything else is found, moved and sent", async () => {
  for (const key_id of ["damaged", "readable"]) {
    await store("keys").create({ key_id, v_code: vCode }, author);
    await store("keys").delete(key_id, author);
  }
  const [token, other] = [newToken().record, newToken().record];
  for (const record of [token, other]) await store("tokens").insert(record, noteOf("issued"));
  const { notice_id } = (await store("notices").list({ limit: 1 })).notices[0] ?? {};
  const repairs = [
    await damage("keys", "key_id", "damaged", "history"),
    await damage("tokens", "token_id", token.token_id, "ip"),
    await damage("notices", "notice_id", notice_id ?? "", "kind"),
  ];
  await addUnused();
  later(1);
  const log = captureLog();
  const topic = senderWith("topic");
  const running = serveNotices({ senders: [topic, senderWith("bus")] })({ task: "daily" }, lambdaContext);
  await expect(running).rejects.toThrow("3 records or parts of the search failed");
  expect(ids(topic.attempts)).toEqual(["token_unused"]);
  expect((await store("history").ofKey("readable"))[0]?.entries).toHaveLength(2);
  for (const part of [token.token_id, "history is not a set", notice_id]) expect(log.text()).toContain(part);
  for (const repair of repairs) await repair();
});

test("after a lost response, a notice stays new and can be claimed once, unless another run claimed it first", async () => {
  const client = new DynamoDBClient({ maxAttempts: 2 });
  onTestFinished(() => client.destroy());
  loseNextResponse(client);
  const { tableName } = tableOf("notices");
  const repeated = openStore(tables.notices, { client, tableName });
  const notice: Notice = { ...about, notice_id: "token_leaked:repeated", kind: "token_leaked", details: {} };
  expect(await repeated.add(notice, "2026-11-21T10:15:30.123Z")).toMatchObject({ isNew: true });
  expect(await repeated.add(notice, "2026-11-21T10:15:30.124Z")).toMatchObject({
    isNew: false,
    unsent: { found_at: "2026-11-21T10:15:30.123Z", topic: "pending" },
  });
  const claim = (id: string) => repeated.claim(notice.notice_id, { channel: "topic", id }, inMs(0));
  loseNextResponse(client);
  expect([await claim("first"), await claim("second")]).toEqual([true, false]);
  await repeated.settle(notice.notice_id, { channel: "topic", id: "first" }, "pending");
  await run([senderWith("topic"), senderWith("bus")]);
});

test("moves the histories of deleted keys an hour after the deletion, and changes nothing else", async () => {
  await store("keys").create({ key_id: "kept", v_code: vCode }, author);
  for (const key_id of ["deleted", "created again"]) {
    await store("keys").create({ key_id, v_code: vCode }, author);
    await store("keys").delete(key_id, author);
  }
  await store("keys").create({ key_id: "created again", v_code: vCode }, author);
  const senders = [senderWith("topic"), senderWith("bus")];
  await run(senders);
  expect((await store("keys").getWithHistory("deleted"))?.history.entries).toHaveLength(2);

  later(1);
  await run(senders);
  expect((await store("keys").getWithHistory("deleted"))?.history.entries).toEqual([]);
  expect((await store("history").ofKey("deleted"))[0]?.entries).toHaveLength(2);
  expect((await store("keys").getWithHistory("created again"))?.history.entries).toHaveLength(3);
  expect(await store("history").ofKey("created again")).toEqual([]);
  expect((await store("keys").list({})).keys.map(({ key_id }) => key_id).toSorted()).toEqual(["created again", "kept"]);
});

test("keeps a deleted key's history if it could not be stored elsewhere", async () => {
  const times = { updated_at: { S: "2026-11-21T10:15:30.123Z" } };
  const deleted = { key_id: { S: "1" }, ...times, deletion_id: { S: "2" }, history: { SS: ["a"] } };
  const keys = { changed: async () => ({ items: [deleted] }), forget: vi.fn() };
  const history = { archive: () => Promise.reject(new Error("the database fails")) };
  const when = { now: "2026-11-22T10:15:30.123Z", unreadable: () => {} };
  await expect(archiveHistories({ keys, history }, when)).rejects.toThrow("the database fails");
  expect(keys.forget).not.toHaveBeenCalled();
});

test("rejects an event that is not a known task", async () => {
  const topic = senderWith("topic");
  for (const event of [{}, null, { task: "other" }, { task: "daily", more: 1 }]) {
    await expect(serveNotices({ senders: [topic] })(event, lambdaContext)).rejects.toThrow();
  }
});
