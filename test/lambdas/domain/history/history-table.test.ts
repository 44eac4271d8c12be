import { expect, test } from "vitest";
import { history as declaration } from "../../../../lambdas/domain/history/history-table.ts";
import { author, changesIn } from "../../../support/authors.ts";
import { loseNextResponse } from "../../support/client-requests.ts";
import { stopClock } from "../../support/clock.ts";
import { openTestStore } from "../../support/stores.ts";

const { store, client, open } = await openTestStore(declaration);

const entriesOf = async (keyId: string) => (await store.ofKey(keyId)).flatMap(({ entries }) => entries);

test("records each person's view of a v_code in the same millisecond, at different times", async () => {
  stopClock();
  const authors = ["Ada", "Grace", "Mary"].map((by) => ({ ...author, by }));
  for (const each of authors) await store.recordReveal("shown", each);
  const entries = await entriesOf("shown");
  expect(changesIn(entries)).toEqual(authors.map((each) => ({ kind: "revealed", author: each })));
  expect(new Set(entries.map((entry) => JSON.parse(entry)[0])).size).toBe(3);
});

test("creates a record once even if its response is lost", async () => {
  loseNextResponse(client);
  await open(client).recordReveal("lost", author);
  expect(changesIn(await entriesOf("lost"))).toEqual([{ kind: "revealed", author }]);
});

test("keeps both histories of a key deleted twice in the same millisecond", async () => {
  stopClock();
  const ended_at = new Date().toISOString();
  await store.recordReveal("both", author);
  for (let count = 0; count < 2; count += 1)
    await store.archive({ key_id: "both", ended_at }, { entries: ["0"], dropped: 2 });
  expect(await store.ofKey("both")).toMatchObject([
    { entries: ["0", expect.stringContaining("revealed")], dropped: 2 },
  ]);
});
