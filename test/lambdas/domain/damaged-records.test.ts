import { readFilterPattern } from "cdk-local-runner/parts";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { logMetrics } from "../../../infra/monitoring/log-metrics.ts";
import { tables } from "../../../lambdas/domain/built-in-stores.ts";
import { writtenKey } from "../../../lambdas/domain/keys/key-fields.ts";
import { openStore } from "../../../lambdas/dynamodb/open-table.ts";
import { toItem, type Values } from "../../../lambdas/dynamodb/records.ts";
import { absentId, dayMs, inMs } from "../../kit/support/tokens.ts";
import { author } from "../../support/authors.ts";
import { clientReturning } from "../support/client-requests.ts";
import { fullRecord } from "../support/full-record.ts";
import { apiErrorOf, captureLog } from "../support/outcomes.ts";
import { openTestStore } from "../support/stores.ts";

/*
 * Somebody edits a record by hand. If the service cannot have written the new value, nobody is admitted, nothing is returned,
 * and the log names the field. The tests of each format cover the values that it rejects. Here, each attribute of each record
 * has one of them.
 */

/** Values of a form that no attribute has, and a valid value of each type. */
const noForms = [{ S: 1 }, { S: "\ud83d" }, { N: "five" }, { BOOL: true }, { M: { S: { S: "1" } } }, {}];
const validForms = [{ S: "1" }, { N: "1" }, { SS: ["1"] }];

/** Values of the right type that the store never writes. */
const noCounts = [0, -1, 1.5, 2 ** 53];
const json = (...values: unknown[]) => ["{", ...values.map((value) => JSON.stringify(value))];
const changed = (value: object, ...changes: object[]) => changes.map((change) => ({ ...value, ...change }));

const time = inMs(-dayMs);
const leak = { source_ip: "192.0.2.66", first_at: time, last_at: time };
const counted = { ...leak, calls: 1 };
const noAddresses = changed(leak, { source_ip: "192.0.2.066" }, { first_at: "then" }, { last_at: "1" });
const noLists = [null, {}, [], [{}], ...noAddresses.map((one) => [one]), [counted, counted], Array(21).fill(counted)];
const refusal = { time, code: "ip_not_allowed", status: 403, source_ip: "192.0.2.66", route: "GET /", leak: true };
const noRefusals = json(
  ...[null, []],
  ...changed(refusal, { time: "then" }, { status: 99 }, { status: "403" }, { code: "A code" }),
  ...changed(refusal, { source_ip: "somewhere" }, { route: "r".repeat(301) }, { leak: "true" }, { leak: undefined }),
);

/** The item that the stores read. */
let stored: object = {};
const client = clientReturning(() => ({ Item: stored, Items: [stored], Count: 1, ScannedCount: 1 }));
const tokens = openStore(tables.tokens, { client, tableName: "tokens" });
const keys = openStore(tables.keys, { client, tableName: "keys" });
const usage = openStore(tables.usage, { client, tableName: "usage" });
const notices = openStore(tables.notices, { client, tableName: "notices" });

interface Kind {
  record: Values;
  /** For some attributes, wrong values of the right type. Absent if the table is not read strictly. */
  wrong?: Record<string, readonly (string | number)[]>;
  /** Required attributes. */
  required: string[];
  /** The store's operations that read a record. */
  reads: (() => Promise<unknown>)[];
}

const tokenId = absentId();
const token = fullRecord();
const pair = z.parse(writtenKey, { key_id: "1", v_code: "v".repeat(64) });
const key = { ...pair, created_at: time, updated_at: time };
const hour = "2026-11-21T15:00:00.000Z";
const noNames = ["", "A C", "ACME\n", "АCME", "x".repeat(65)];
const tooLong = ["", "x".repeat(501)];
const counts = ["status_2xx", "code_ip_not_allowed", "leak_signals", "delete_at"];

const kinds: Record<string, Kind> = {
  token: {
    record: { ...token },
    wrong: {
      secret_hash: ["", "x"],
      invitation_hash: ["x"],
      repeat_nonce: ["x"],
      ip: ["198.51.100.07"],
      comment: ["x".repeat(256)],
      client: noNames,
      ...Object.fromEntries(["limit_id", "predecessor_id", "successor_id", "trust_id"].map((name) => [name, ["1"]])),
      rate_limit: [0, 100_001],
      token_seconds: [299, 86_401],
      issuer: tooLong,
      subject: tooLong,
      request: json({}),
      dismissed_addresses: json([]),
    },
    required: ["secret_hash", "ip", "issued_at"],
    reads: [() => tokens.find(token.token_id), () => tokens.list({})],
  },
  key: {
    record: key,
    required: ["v_code", "created_at"],
    reads: [() => keys.get("1"), () => keys.getWithHistory("1")],
  },
  "hour of usage": {
    record: {
      subject: tokenId,
      entry: hour,
      first_used_at: time,
      last_used_at: time,
      ...Object.fromEntries(counts.map((name) => [name, 1])),
      leak_addresses: JSON.stringify([counted]),
      refusal_7: JSON.stringify({ ...refusal, leak: false }),
      leak_3: JSON.stringify(refusal),
      batches: new Set(["one"]),
      earlier_batches: new Set(["two"]),
    },
    wrong: {
      ...Object.fromEntries(counts.map((name) => [name, noCounts])),
      refusal_7: noRefusals,
      leak_3: noRefusals,
      entry: ["2026-11-21T15:10:00.000Z", "x"],
      leak_addresses: json(...noLists, [{ ...counted, calls: 0 }], [leak]),
    },
    required: ["entry"],
    reads: [() => usage.hours(tokenId, "")],
  },
  "noted leak": {
    record: {
      subject: "leaks",
      entry: tokenId,
      seen_at: time,
      source_ip: "192.0.2.66",
      delete_at: 1_795_000_000,
      addresses: JSON.stringify([leak]),
      unlisted_at: time,
    },
    wrong: { source_ip: ["192.0.2.066", "example.com"], addresses: json(...noLists), delete_at: noCounts },
    required: ["seen_at", "source_ip"],
    reads: [() => usage.leaks("")],
  },
  notice: {
    record: { ...tables.notices.example },
    wrong: { kind: ["x"], token_id: ["1"], client: noNames, ip: ["1"], details: json([]), topic: ["x"], bus: ["x"] },
    required: ["kind", "found_at"],
    reads: [() => notices.list({})],
  },
};

const written = (value: Values[string]) => toItem({ value }).value ?? {};

/** The forms that an attribute of a record cannot have. */
const wrongForms = (name: string, { record, wrong, required }: Kind) => {
  const [type = ""] = Object.keys(written(record[name]));
  const noTimes = name.endsWith("_at") && type === "S" ? ["", "2026-11-21T15:10:00Z"] : [];
  const values = wrong ? (wrong[name] ?? noTimes) : [];
  const missing = required.includes(name) ? [undefined] : [];
  return [...missing, ...noForms, ...validForms.filter((form) => !(type in form)), ...values.map(written)];
};

const attributes = Object.entries(kinds).flatMap(([kind, declared]) =>
  Object.keys(declared.record).map((name) => ({ kind, name, ...declared, forms: wrongForms(name, declared) })),
);

test.for(attributes)("no operation returns a $kind with an invalid $name", async ({ name, record, forms, reads }) => {
  for (const form of forms) {
    stored = { ...toItem(record), [name]: form };
    for (const read of reads) {
      const error = await apiErrorOf(read()).catch(() => undefined);
      expect(error?.code, JSON.stringify(form)).toBe("unavailable");
      expect(String(error?.cause), JSON.stringify(form)).toContain(name);
    }
  }
});

test.for(Object.entries(kinds))("every operation returns an undamaged %s", async ([, { record, reads }]) => {
  stored = toItem(record);
  for (const read of reads) await read();
});

const secret = "v".repeat(64);

test.for([
  ["token_id", { ...token, secret_hash: secret }, () => tokens.find(token.token_id)],
  ["key_id", { ...key, v_code: secret, created_at: 1 }, () => keys.get(key.key_id)],
] as const)("the logged cause names a damaged record's %s, but none of its secrets", async ([id, damaged, read]) => {
  stored = toItem({ ...damaged });
  const cause = String((await apiErrorOf(read())).cause);
  expect(cause).toContain(`Its ${id} is `);
  expect(cause).not.toContain(secret);
});

const usageTable = await openTestStore(tables.usage);
const keysTable = await openTestStore(tables.keys);

test("adds no usage to a damaged hour, and no leaks to a damaged note", async () => {
  const { store, put } = usageTable;
  const share = { hour, statuses: {}, codes: {}, leak_signals: 0, leaks: [], refusals: [], last_used_at: time };
  await put(toItem({ ...kinds["hour of usage"]?.record, last_used_at: 1 }));
  expect(String((await apiErrorOf(store.add(tokenId, share, "three"))).cause)).toContain("last_used_at");
  await put(toItem({ ...kinds["noted leak"]?.record, addresses: "[]" }));
  expect(String((await apiErrorOf(store.noteLeak(tokenId, [leak]))).cause)).toContain("addresses");
});

const deleted = { key_id: "1", updated_at: time, deletion_id: "1" };

test.for<[string, Values]>([
  ["a key with a mark of its deletion", { ...key, deletion_id: "1" }],
  ["half a key with such a mark", { ...deleted, created_at: time }],
  ["a mark that is not a string", { ...deleted, deletion_id: 1 }],
  ["an empty mark", { ...deleted, deletion_id: "" }],
  ["a mark without a time", { key_id: "1", deletion_id: "1" }],
  ["neither a mark nor a key", { key_id: "1", updated_at: time }],
])("does not change a damaged tombstone: %s", async ([, record]) => {
  const { store, put, itemOf } = keysTable;
  await put(toItem(record));
  const before = await itemOf({ key_id: "1" });
  const log = captureLog();
  expect((await store.list({})).keys).toEqual([]);
  const odd = log.lines().filter(readFilterPattern(logMetrics.UnreadableRecords.lines));
  expect(odd).toMatchObject([{ level: "ERROR", unreadable_record: { key_id: "1" } }]);
  const calls = [store.get("1"), store.replace(key, author), store.delete("1", author)].map(apiErrorOf);
  for (const { code } of await Promise.all(calls)) expect(code).toBe("unavailable");
  expect(await itemOf({ key_id: "1" })).toEqual(before);

  // A damaged tombstone may look like a complete key.
  const created = await store.create({ key_id: "1", v_code: "w".repeat(64) }, author).catch(() => undefined);
  if (created) expect(created).toMatchObject({ outcome: "created", key: await store.get("1") });
  else expect(await itemOf({ key_id: "1" })).toEqual(before);
});
