import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeSent, openSentLog, type SentMessage } from "../../src/messages/sent.ts";
import { temporaryDirectory } from "../support/folders.ts";

const message = (id: string): SentMessage => ({
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

test("a damaged file is reported by name, with what to do", async () => {
  const folder = await temporaryDirectory();
  await writeFile(join(folder, "sent.jsonl"), "not JSON\n");

  await expect(openSentLog(folder)).rejects.toThrow(/sent\.jsonl, which has what was sent, is damaged .* or delete it/);
});

test("what is shown of a message cannot control the terminal", () => {
  const shown = describeSent({ ...message("1"), subject: "\u001b[2J", message: "a\u202eb\rc\nd" });

  expect(shown).toBe(
    "Sent by f to the topic t (no subscribers):\n  | Subject: \\u{1b}[2J\n  |\n  | a\\u{202e}b\\u{d}c\n  | d\n",
  );
});
