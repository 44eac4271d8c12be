import {
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { openTable } from "../../../lambdas/dynamodb/open-table.ts";
import { recordTable } from "../../../lambdas/dynamodb/record-table.ts";
import { transactionOn } from "../../../lambdas/dynamodb/transaction.ts";
import type { Transaction } from "../../../lambdas/dynamodb/transaction-types.ts";
import { versionOf } from "../../../lambdas/dynamodb/versions.ts";
import { RecordRefused } from "../../../lambdas/shared/errors/record-refused.ts";
import { text, wholeNumber } from "../../../lambdas/shared/validation/fields.ts";
import { insteadOfNextAttempts, loseNextResponse, noteRequests } from "../support/client-requests.ts";
import { openTestStore, useDatabase } from "../support/stores.ts";

const id = text({ min: 1, max: 40 });
const accountsTable = recordTable({
  partitionKey: "account_id",
  schema: z.object({ account_id: id, balance: wholeNumber({ min: 0, max: 1_000 }), note: z.optional(id) }),
});
const entriesTable = recordTable({
  partitionKey: "account_id",
  sortKey: "number",
  schema: z.object({ account_id: id, number: wholeNumber({ min: 1, max: 1_000 }), amount: z.int() }),
});
const tables = { accounts: accountsTable, entries: entriesTable };

const database = useDatabase();
const { store: accounts, client, tableName: accountsName } = await openTestStore(accountsTable, database);
const { store: entries, tableName: entriesName } = await openTestStore(entriesTable, database);

const transaction = transactionOn(client, {
  accounts: { declaration: accountsTable, table: openTable(accountsTable, { client, tableName: accountsName }) },
  entries: { declaration: entriesTable, table: openTable(entriesTable, { client, tableName: entriesName }) },
}) as unknown as Transaction<
  typeof tables,
  { accounts: ["create", "put", "update", "delete"]; entries: ["create", "update"] }
>;

let count = 0;
const account = async (balance = 100) => {
  count += 1;
  return (await accounts.create({ account_id: `A-${count}`, balance, note: "new" })).record;
};
const balanceOf = async ({ account_id }: { account_id: string }) => (await accounts.get(account_id))?.balance;

/** Moves an amount between accounts, and enters it. */
const transfer = (from: { account_id: string }, to: { account_id: string }, amount: number, number = 1) =>
  transaction((tx) => [
    tx.accounts.update(from.account_id, ({ balance }) => ({ balance: balance - amount }), {
      if: ({ balance }) => balance >= amount,
    }),
    tx.accounts.update(to.account_id, ({ balance }) => ({ balance: balance + amount })),
    tx.entries.create({ account_id: from.account_id, number, amount }),
  ]);

test("changes of several tables are made together, and return the records as they are stored", async () => {
  const [one, other] = [await account(), await account()];
  const made = await transaction((tx) => [
    tx.accounts.update(one.account_id, { balance: 70, note: null }),
    tx.accounts.delete(other.account_id),
    tx.accounts.put({ account_id: "A-put", balance: 1 }),
    tx.entries.create({ account_id: one.account_id, number: 1, amount: 30 }),
  ]);
  const stored = [await accounts.get(one.account_id), await accounts.get("A-put")];
  const entry = await entries.get({ account_id: one.account_id, number: 1 });
  expect(made).toEqual({
    done: true,
    results: [
      { outcome: "updated", record: stored[0] },
      { outcome: "deleted" },
      { outcome: "created", record: stored[1] },
      { outcome: "created", record: entry },
    ],
  });
  expect([stored[0], entry]).toMatchObject([{ balance: 70 }, { amount: 30 }]);
  expect(stored[0]).not.toHaveProperty("note");
  expect(await accounts.get(other.account_id)).toBeUndefined();
});

test("changes nothing if one change is rejected, and the results name it", async () => {
  const [one, other] = [await account(10), await account()];
  expect(await transfer(one, other, 11)).toMatchObject({
    done: false,
    results: [{ outcome: "refused", record: one }, undefined, undefined],
  });
  await entries.create({ account_id: one.account_id, number: 1, amount: 5 });
  expect(await transfer(one, other, 6)).toMatchObject({
    done: false,
    results: [undefined, undefined, { outcome: "taken" }],
  });
  expect(await transfer(one, { account_id: "none" }, 5, 2)).toMatchObject({
    done: false,
    results: [undefined, { outcome: "not found" }, undefined],
  });
  const { updated_at } = (await accounts.update(one.account_id, { balance: 9 })).record ?? one;
  const old = await transaction((tx) => [
    tx.accounts.update(one.account_id, { balance: 1 }, { ifMatch: [versionOf(one)] }),
    tx.accounts.delete(other.account_id),
  ]);
  expect(old).toMatchObject({ done: false, results: [{ outcome: "changed", record: { updated_at } }, undefined] });
  expect([await balanceOf(one), await balanceOf(other)]).toEqual([9, 100]);
});

test("a record that breaks its schema throws an error, and nothing changes", async () => {
  const [one, other] = [await account(), await account(999)];
  await expect(transfer(one, other, 2)).rejects.toThrow(RecordRefused);
  expect([await balanceOf(one), await balanceOf(other)]).toEqual([100, 999]);
});

test("simultaneous transactions keep the sum", async () => {
  const all = [await account(), await account(), await account()];
  const moves = Array.from({ length: 9 }, (_, index) => {
    const [from, to] = [all[index % 3], all[(index + 1 + (index % 2)) % 3]];
    return from && to ? transfer(from, to, 1 + index, index + 1) : undefined;
  });
  const outcomes = await Promise.allSettled(moves);
  const balances = await Promise.all(all.map(balanceOf));
  expect(balances.reduce<number>((sum, balance) => sum + (balance ?? 0), 0)).toBe(300);
  expect(outcomes.some(({ status }) => status === "fulfilled")).toBe(true);
});

test("an attempt whose response is lost is sent again with the same token, and takes effect once", async () => {
  const [one, other] = [await account(), await account()];
  loseNextResponse(client, "TransactWriteItemsCommand");
  expect(await transfer(one, other, 30)).toMatchObject({ done: true });
  expect([await balanceOf(one), await balanceOf(other)]).toEqual([70, 130]);
});

const refusal = { $metadata: {}, message: "", $fault: "client" } as const;

test("a change is sent again if a transaction is writing its record", async () => {
  const one = await account();
  insteadOfNextAttempts(client, "UpdateItemCommand", () => Promise.reject(new TransactionConflictException(refusal)));
  expect(await accounts.update(one.account_id, { balance: 1 })).toMatchObject({ outcome: "updated" });
});

test("a conflict after a lost response leaves unknown whether the transaction was made, and does not make it twice", async () => {
  const [one, other] = [await account(), await account()];
  const CancellationReasons = Array.from({ length: 3 }, () => ({ Code: "TransactionConflict" }));
  const conflict = () => Promise.reject(new TransactionCanceledException({ ...refusal, CancellationReasons }));
  insteadOfNextAttempts(client, "TransactWriteItemsCommand", async () => {}, conflict);
  await expect(transfer(one, other, 30)).rejects.toMatchObject({ code: "unavailable" });
  insteadOfNextAttempts(client, "TransactWriteItemsCommand", conflict);
  expect(await transfer(one, other, 30)).toMatchObject({ done: true });
});

test("an attempt that takes effect late undoes nothing, also without its token", async () => {
  const sent = noteRequests(client);
  const [one, other] = [await account(), await account()];
  await transfer(one, other, 30);
  await accounts.update(one.account_id, { balance: 500 });
  await accounts.delete(other.account_id);
  for (const { input } of sent.filter(({ operation }) => operation === "TransactWriteItems")) {
    const late = { ...Object(input), ClientRequestToken: undefined };
    await expect(client.send(new TransactWriteItemsCommand(late))).rejects.toThrow("ConditionalCheckFailed");
  }
  expect([await balanceOf(one), await balanceOf(other)]).toEqual([500, undefined]);
});

test("the time of a transaction's changes is later than its slowest read", async () => {
  const [one, other] = [await account(), await account()];
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  onTestFinished(() => {
    vi.useRealTimers();
    client.middlewareStack.remove("slowReads");
  });
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const response = await next(args);
        if (commandName === "GetItemCommand") vi.setSystemTime(Date.now() + 3_900);
        return response;
      },
    { step: "initialize", name: "slowReads" },
  );
  const { results } = await transaction((tx) => [
    tx.accounts.update(one.account_id, { balance: 1 }),
    tx.accounts.update(other.account_id, { balance: 2 }),
  ]);
  const now = new Date().toISOString();
  expect(results).toMatchObject([{ record: { updated_at: now } }, { record: { updated_at: now } }]);
});

test("a transaction without changes is done", async () => {
  expect(await transaction(() => [])).toEqual({ done: true, results: [] });
});

test("a transaction that DynamoDB would reject as a whole says why", async () => {
  const one = await account();
  const { account_id } = one;
  const sameAccount = transaction((tx) => [
    tx.accounts.delete(account_id),
    tx.accounts.update(account_id, { balance: 1 }),
  ]);
  const sameEntry = transaction((tx) => [
    tx.entries.update({ account_id, number: 1 }, { amount: 1 }),
    tx.entries.update({ number: 1, account_id }, { amount: 2 }),
  ]);
  for (const twice of [sameAccount, sameEntry]) {
    await expect(twice).rejects.toThrow("A transaction can change each record only once.");
  }
});
