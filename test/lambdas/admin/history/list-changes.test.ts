import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod/mini";
import { changePage } from "../../../../lambdas/admin/contract.ts";
import { absentId, dayMs, inMs } from "../../../kit/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import { useAdmin } from "../../support/admin.ts";

const admin = useAdmin();

const vCode = "v".repeat(64);
const client = { by: "token:01KAK3Y0V9QX8M4N2R7T5W1Y0B", from: "198.51.100.7", requestId: "call" };

/** Changes made in the same millisecond have no order. */
const aSecondLater = () => vi.setSystemTime(Date.now() + 1_000);
beforeAll(() => void vi.useFakeTimers({ toFake: ["Date"] }));
beforeEach(aSecondLater);

const history = async (filters: object = {}) =>
  z.parse(changePage, await admin.invoke({ action: "history", ...filters }, "reading"));

test("lists the changes of tokens and keys together, newest first, each with its author, address and request", async () => {
  const { token_id } = await admin.act({ action: "issue", ip: "198.51.100.7", invoked_by: "Ada" }, "first");
  aSecondLater();
  await admin.act({ action: "update", token_id, rate_limit: 600, comment: "secret comment" }, "second");
  aSecondLater();
  await admin.keys().create({ key_id: "history", v_code: vCode }, client);
  await admin.keys().delete("history", { ...client, requestId: "deletion" });

  const { changes, next_cursor, dropped } = await history();
  const time = expect.any(String);
  const ofKey = { time, token_id: null, key_id: "history", by: client.by, from: client.from, details: {} };
  const ofToken = (kind: string, request_id: string, by: string, details: object) => ({
    ...{ time, token_id, key_id: null, from: null, kind, request_id, by: `invoke:${by}`, details },
  });
  expect(changes).toEqual([
    { ...ofKey, kind: "deleted", request_id: "deletion" },
    { ...ofKey, kind: "created", request_id: "call" },
    ofToken("updated", "second", "second", { comment: "changed", rate_limit: "600" }),
    ofToken("issued", "first", "first:Ada", { ip: "198.51.100.7" }),
  ]);
  expect({ next_cursor, dropped }).toEqual({ next_cursor: null, dropped: 0 });
});

test("each filter returns only matching entries, and filters can be combined", async () => {
  const { token_id } = await admin.act({ action: "issue", ip: "198.51.100.8", invoked_by: "Grace" }, "third");
  aSecondLater();
  await admin.act({ action: "revoke", token_id, invoked_by: "Grace" }, "fourth");
  aSecondLater();
  await admin.keys().create({ key_id: "filtered", v_code: vCode }, { ...client, by: `token:${token_id}` });
  const all = await history({ limit: 1000 });
  const named = ({ kind, token_id: id, key_id }: (typeof all.changes)[number]) => `${kind} ${id ?? key_id}`;

  const { time = "" } = all.changes.find(({ kind }) => kind === "revoked") ?? {};
  const [issued, revoked, created] = [`issued ${token_id}`, `revoked ${token_id}`, "created filtered"];
  for (const [filters, expected] of [
    [{ person: "Grace" }, [revoked, issued]],
    [{ person: token_id }, [created]],
    [{ person_prefix: "gR" }, [revoked, issued]],
    [{ person_prefix: "race" }, []],
    [{ person_prefix: "token" }, []],
    [{ token_id }, [revoked, issued]],
    [{ key_id: "filtered" }, [created]],
    [{ person: "Grace", kind: "revoked" }, [revoked]],
    [{ token_id, key_id: "filtered" }, []],
    [{ since: time, until: new Date(Date.parse(time) + 1).toISOString() }, [revoked]],
  ] as const) {
    const { changes } = await history(filters);
    expect(changes.map(named), JSON.stringify(filters)).toEqual(expected);
  }
  expect((await history({ until: time })).changes).toEqual(all.changes.filter((change) => change.time < time));
});

test("pages follow each other without gaps or repetitions", async () => {
  const { changes } = await history({ limit: 1000 });
  const pages: typeof changes = [];
  let cursor: string | null = null;
  do {
    const page: z.output<typeof changePage> = await history({ limit: 2, ...(cursor && { cursor }) });
    pages.push(...page.changes);
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(pages).toEqual(changes);
});

test("reports how many changes the records have forgotten, whatever the search", async () => {
  await admin.keys().create({ key_id: "busy", v_code: vCode }, author);
  for (let count = 1; count <= 24; count += 1) await admin.keys().replace({ key_id: "busy", v_code: vCode }, author);
  const { changes, dropped } = await history({ key_id: "busy" });
  expect([changes.length, dropped]).toEqual([14, 11]);
  for (const filters of [{}, { limit: 1 }, { person: "nobody" }, { kind: "deleted" }]) {
    expect((await history(filters)).dropped).toBe(11);
  }
});

test("the history of a deleted key remains after it has been moved, and continues with a new key of the same id", async () => {
  await admin.keys().create({ key_id: "gone", v_code: vCode }, author);
  await admin.keys().delete("gone", author);
  const before = await history({ key_id: "gone" });
  const found = await admin.keys().getWithHistory("gone");
  const deletedAt = before.changes[0]?.time ?? "";
  const entries = found?.history.entries ?? [];
  await admin.archive().archive({ key_id: "gone", ended_at: deletedAt }, { entries, dropped: 3 });
  await admin.archive().archive({ key_id: "gone", ended_at: inMs(-dayMs) }, { entries, dropped: 4 });
  expect(await history({ key_id: "gone" })).toMatchObject({ changes: before.changes, dropped: 7 });

  await admin.keys().forget("gone", deletedAt);
  expect(await history({ key_id: "gone" })).toMatchObject({ changes: before.changes });
  expect((await history({ limit: 2 })).changes).toEqual(before.changes);
  await admin.keys().create({ key_id: "gone", v_code: vCode }, author);
  expect((await history({ key_id: "gone" })).changes.map(({ kind }) => kind)).toEqual([
    "created",
    "deleted",
    "created",
  ]);
});

test("a token that has not changed since histories were introduced has no history", async () => {
  const record = await admin.stored();
  expect((await history({ token_id: record.token_id })).changes).toMatchObject([{ kind: "issued" }]);
  await expect(history({ token_id: absentId() })).rejects.toMatchObject({ code: "token_not_found" });
  await expect(history({ key_id: "never there" })).rejects.toMatchObject({ code: "key_not_found" });
});

test.for([
  "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  '["2026-11-21T10:15:30.123Z","x"]',
  JSON.stringify(["2026-11-21T10:15:30.123Z", JSON.stringify([null, null, "issued"])]),
  JSON.stringify(["2026-11-21T10:15:30.123Z", JSON.stringify([null, "\0", "created"])]),
  ` ${JSON.stringify(["2026-11-21T10:15:30.123Z", JSON.stringify([null, "1", "created"])])}`,
])("rejects the foreign cursor %j", async (text) => {
  const cursor = Buffer.from(text).toString("base64url");
  await expect(history({ cursor })).rejects.toMatchObject({ code: "validation_failed" });
});
