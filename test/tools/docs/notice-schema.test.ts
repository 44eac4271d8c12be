import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { detailTypes } from "../../../lambdas/functions/notices/notice-event.ts";
import { noticeKinds } from "../../../lambdas/resources/notices/notice.ts";
import { noticeSchema } from "../../../tools/docs/write-notice-schema.ts";

const fileOf = (path: string) => readFile(new URL(`../../../docs/${path}`, import.meta.url), "utf8");

test("docs/notice-event.schema.json is up to date with npm run docs", async () => {
  expect(await fileOf("notice-event.schema.json")).toBe(noticeSchema());
});

test("docs/notices.md says of each kind of notice when it is sent, and how a rule recognises it", async () => {
  const page = await fileOf("notices.md");
  for (const kind of noticeKinds) expect(page).toContain(`| \`${kind}\` | \`${detailTypes[kind]}\` |`);
});
