import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { noticeKinds } from "../../../lambdas/domain/notices/notice.ts";
import { detailTypes } from "../../../lambdas/notices/notice-event.ts";
import { documents } from "../../../tools/docs/generate.ts";

const read = (file: string): Promise<string> => readFile(new URL(`../../../${file}`, import.meta.url), "utf8");

test.each(Object.entries(documents))("%s is up to date with npm run docs", async (file, create) => {
  expect(await read(file)).toBe(await create());
});

test.each(noticeKinds)("docs/notices.md says when the notice %s is sent, and how a rule can match it", async (kind) => {
  expect(await read("docs/notices.md")).toContain(`| \`${kind}\` | \`${detailTypes[kind]}\` |`);
});
