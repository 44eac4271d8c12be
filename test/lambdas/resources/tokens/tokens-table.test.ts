import { expect, test } from "vitest";
import { openStore } from "../../../../lambdas/dynamodb/open-table.ts";
import { recordReader, toItem } from "../../../../lambdas/dynamodb/records.ts";
import type { TokenStore } from "../../../../lambdas/resources/tokens/token-store.ts";
import { exampleRequest, tokens } from "../../../../lambdas/resources/tokens/tokens-table.ts";
import { newToken } from "../../../../tools/support/tokens.ts";
import { author, noteOf } from "../../../support/authors.ts";
import { noteActions, useDatabase } from "../../support/database.ts";
import { expectSoundDeclaration } from "../../support/table-declaration.ts";

const database = useDatabase();
const { record } = newToken();
const time = "2026-11-21T10:15:30.123Z";

const calls: { [Operation in keyof TokenStore]: (store: TokenStore) => Promise<unknown> } = {
  find: (store) => store.find(record.token_id),
  list: (store) => store.list({ limit: 1 }),
  insert: (store) => store.insert(record, noteOf("issued")),
  update: (store) =>
    store.update(record.token_id, { rate_limit: 1, updated_at: time, updated_by: "me" }, noteOf("updated")),
  redeem: (store) =>
    store.redeem(
      record,
      {
        secret_hash: record.secret_hash,
        redeemed_at: time,
        repeat_nonce: "AAAAAAAAAAAAAAAAAAAAAA",
        expires_at: null,
      },
      author,
    ),
  request: (store) => store.request(record, { request: JSON.stringify(exampleRequest) }, noteOf("requested")),
  rotate: (store) =>
    store.rotate(
      record,
      {
        expires_at: time,
        rotated_at: time,
        rotated_by: "me",
        successor_id: record.token_id,
      },
      noteOf("rotated"),
    ),
  revoke: (store) => store.revoke(record.token_id, { revoked_at: time, revoked_by: "me" }, author),
  settle: (store) => store.settle(record.token_id),
  history: (store) => store.history(record.token_id),
  changed: (store) => store.changed({ shard: "0", limit: 1 }),
  recordUse: (store) => store.recordUse(record.token_id, time),
};

test.for(Object.entries(calls))("%s performs only the action that it declares", async ([operation, call]) => {
  const { client, table } = await database.newTable(tokens);
  const actions = noteActions(client);
  await call(openStore(tokens, { client, tableName: table }));

  const rights = tokens.rights[operation as keyof TokenStore];
  expect(actions).toEqual(rights.map((right) => (typeof right === "string" ? right : right.action)));
});

test("the types of the fields fit their names, and the example is a valid record", () => {
  expectSoundDeclaration(tokens);
});

test("recording a use needs permission only to set the time of last use and to remove the value that the text was derived from", () => {
  expect(tokens.rights.recordUse).toEqual([
    { action: "UpdateItem", attributes: ["token_id", "last_used_at", "repeat_nonce"] },
  ]);
});

test.for([
  ["token_id", "1", "the id of a token"],
  ["secret_hash", "x", "a SHA-256 in base64url"],
  ["ip", "203.0.113.050", "a canonical IP address"],
  ["repeat_nonce", "x", "a random value"],
  ["request", "{}", "a JSON request for an address"],
  ["dismissed_addresses", "[]", "a JSON list of dismissed addresses"],
] as const)(
  "a record whose %s is %j is refused, and the cause says what it should be",
  ([name, value, description]) => {
    const read = () => recordReader(tokens.fields)(toItem({ ...record, [name]: value }));
    const message = expect.stringContaining(`The item's ${name} is not ${description}.`);
    expect(read).toThrow(expect.objectContaining({ code: "unavailable", cause: expect.objectContaining({ message }) }));
  },
);

test("the token of all examples shows a comment and who issued it", () => {
  expect(tokens.example.comment).not.toBe("");
  expect(tokens.example.issued_by).not.toBe("");
});
