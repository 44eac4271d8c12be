import { expect, test } from "vitest";
import * as z from "zod/mini";
import { changePage } from "../../../../lambdas/admin/contract.ts";
import { absentId, dayMs, inMs } from "../../../kit/support/tokens.ts";
import { author } from "../../../support/authors.ts";
import { useAdmin } from "../../support/admin.ts";
import { stopClock } from "../../support/clock.ts";

/* test/lambdas/domain/history/recent-changes.test.ts tests the order of the changes and their pages. */

const admin = useAdmin();

const vCode = "v".repeat(64);
const client = { by: "token:01KAK3Y0V9QX8M4N2R7T5W1Y0B", from: "198.51.100.7", requestId: "call" };

const history = async (filters: object = {}) =>
  z.parse(changePage, await admin.invoke({ action: "history", ...filters }, "reading"));

test("lists changes of tokens and keys together, newest first, each with its author, address and request", async () => {
  const travel = stopClock();
  const { token_id } = await admin.act({ action: "issue", ip: "198.51.100.7", invoked_by: "Ada" }, "first");
  travel(1);
  await admin.act({ action: "update", token_id, rate_limit: 600, comment: "secret comment" }, "second");
  travel(1);
  await admin.keys().create({ key_id: "history", v_code: vCode }, client);
  await admin.keys().delete("history", { ...client, requestId: "deletion" });

  const time = expect.any(String);
  const ofKey = { time, token_id: null, key_id: "history", by: client.by, from: client.from, details: {} };
  const ofToken = { time, token_id, key_id: null, from: null };
  const changed = { comment: "changed", rate_limit: "600" };
  expect(await history()).toMatchObject({ next_cursor: null, dropped: 0 });
  expect((await history()).changes).toEqual([
    { ...ofKey, kind: "deleted", request_id: "deletion" },
    { ...ofKey, kind: "created", request_id: "call" },
    { ...ofToken, kind: "updated", request_id: "second", by: "invoke:second", details: changed },
    { ...ofToken, kind: "issued", request_id: "first", by: "invoke:first:Ada", details: { ip: "198.51.100.7" } },
  ]);
});

test("each filter returns only matching entries, and filters can be combined", async () => {
  const { token_id } = await admin.act({ action: "issue", ip: "198.51.100.8", invoked_by: "Grace" }, "third");
  await admin.act({ action: "revoke", token_id, invoked_by: "Grace" }, "fourth");
  await admin.keys().create({ key_id: "filtered", v_code: vCode }, { ...client, by: `token:${token_id}` });
  const all = await history({ limit: 1000 });
  const named = ({ kind, token_id: id, key_id }: (typeof all.changes)[number]) => `${kind} ${id ?? key_id}`;

  const { time = "" } = all.changes.find(({ kind }) => kind === "revoked") ?? {};
  const sameTime = all.changes.filter((change) => change.time === time).map(named);
  const [issued, revoked, created] = [`issued ${token_id}`, `revoked ${token_id}`, "created filtered"];
  for (const [filters, expected] of [
    [{ person: "Grace" }, [revoked, issued]],
    [{ person: token_id }, [created]],
    [{ person_prefix: "gR" }, [revoked, issued]],
    [{ person_prefix: "race" }, []],
    [{ person_prefix: "token" }, []],
    [{ key_id: "filtered", made_by: "clients" }, [created]],
    [{ key_id: "filtered", made_by: "admins" }, []],
    [{ token_id, made_by: "admins" }, [revoked, issued]],
    [{ token_id }, [revoked, issued]],
    [{ key_id: "filtered" }, [created]],
    [{ person: "Grace", kind: "revoked" }, [revoked]],
    [{ token_id, key_id: "filtered" }, []],
    [{ since: time, until: new Date(Date.parse(time) + 1).toISOString() }, sameTime],
  ] as const) {
    const { changes } = await history(filters);
    expect(changes.map(named), JSON.stringify(filters)).toEqual(expected);
  }
  expect((await history({ until: time })).changes).toEqual(all.changes.filter((change) => change.time < time));
});

test("each page of changes continues at its cursor", async () => {
  const { changes } = await history({ limit: 1000 });
  const first = await history({ limit: 2 });
  const rest = await history({ limit: 1000, cursor: first.next_cursor });
  expect([...first.changes, ...rest.changes]).toEqual(changes);
});

test("reports how many changes the records no longer hold, whatever the search", async () => {
  await admin.keys().create({ key_id: "busy", v_code: vCode }, author);
  for (let count = 1; count <= 24; count += 1) await admin.keys().replace({ key_id: "busy", v_code: vCode }, author);
  const { changes, dropped } = await history({ key_id: "busy" });
  expect([changes.length, dropped]).toEqual([14, 11]);
  for (const filters of [{}, { limit: 1 }, { person: "nobody" }, { kind: "deleted" }])
    expect((await history(filters)).dropped).toBe(11);
});

test("the history of a deleted key survives its move, and continues with a new key of the same id", async () => {
  // Later than all changes of the other tests.
  stopClock(60_000);
  await admin.keys().create({ key_id: "gone", v_code: vCode }, author);
  await admin.keys().delete("gone", author);
  const before = await history({ key_id: "gone" });
  const deletedAt = before.changes[0]?.time ?? "";
  const entries = (await admin.keys().getWithHistory("gone"))?.history.entries ?? [];
  await admin.archive().archive({ key_id: "gone", ended_at: deletedAt }, { entries, dropped: 3 });
  await admin.archive().archive({ key_id: "gone", ended_at: inMs(-dayMs) }, { entries, dropped: 4 });
  expect(await history({ key_id: "gone" })).toMatchObject({ changes: before.changes, dropped: 7 });

  await admin.keys().forget("gone", deletedAt);
  expect(await history({ key_id: "gone" })).toMatchObject({ changes: before.changes });
  expect((await history({ limit: 2 })).changes).toEqual(before.changes);
  await admin.keys().create({ key_id: "gone", v_code: vCode }, author);
  const { changes } = await history({ key_id: "gone" });
  expect(changes.map(({ kind }) => kind)).toEqual(["created", "deleted", "created"]);
});

test("rejects a token or a key that does not exist", async () => {
  await expect(history({ token_id: absentId() })).rejects.toMatchObject({ code: "token_not_found" });
  await expect(history({ key_id: "never there" })).rejects.toMatchObject({ code: "key_not_found" });
});

const time = "2026-11-21T10:15:30.123Z";
const cursorTo = (...position: unknown[]) => JSON.stringify([time, JSON.stringify(position)]);

test.for([
  "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
  `["${time}","x"]`,
  cursorTo(null, null, "issued"),
  cursorTo(null, "\0", "created"),
  ` ${cursorTo(null, "1", "created")}`,
])("rejects the invalid cursor %j", async (text) => {
  const cursor = Buffer.from(text).toString("base64url");
  await expect(history({ cursor })).rejects.toMatchObject({ code: "validation_failed" });
});
