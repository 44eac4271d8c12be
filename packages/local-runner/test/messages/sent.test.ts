import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSentLog, type Sent } from "../../src/messages/sent.ts";
import { temporaryDirectory } from "../support/folders.ts";

const message = (id: string): Sent => ({
  service: "sns",
  id,
  sent_at: "2026-11-22T06:00:00.000Z",
  function_name: "f",
  topic_arn: "t",
  subscribers: [],
  subject: null,
  message: "ü\nsecond",
});

test("what was sent is there after a restart, without a line that a killed process did not complete", async () => {
  const folder = await temporaryDirectory();
  const first = await openSentLog(folder);
  first.add([message("1"), message("2")]);
  first.close();
  await appendFile(join(folder, "sent.jsonl"), '{"service":"sns","id":"3');

  const second = await openSentLog(folder);
  second.add([message("4")]);
  expect(second.all()).toEqual([message("1"), message("2"), message("4")]);
  second.close();
  const lines = (await readFile(join(folder, "sent.jsonl"), "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).id)).toEqual(["1", "2", "4"]);
});
