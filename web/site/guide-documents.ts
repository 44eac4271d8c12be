import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { operationsOf } from "../../lambdas/declaration/operations.ts";
import type { Service } from "../../lambdas/declaration/service.ts";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";

const folder = join(packageFolder, "docs/guide");

/** A chapter of the guide. Its id is its file name without the suffix. */
export interface Chapter {
  id: string;
  markdown: string;
  /** The heading above the chapter in the table of contents. */
  group: string;
}

/**
 * Returns the chapters of the guide in the order of docs/guide/README.md, under its headings, followed by the chapters of the
 * service itself.
 */
export const guideChapters = async (service: Service): Promise<Chapter[]> => {
  const { title, guide } = service;
  const isKnown = operationsOf(service).some(({ path }) => path === samplePath);
  const index = await readFile(join(folder, "README.md"), "utf8");
  const groups = index.split(/^## /m).slice(1);
  const chapters = groups.flatMap((text) => {
    const [group = ""] = text.split("\n", 1);
    return [...text.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, id = ""]) => ({ id, group }));
  });
  const read = (from: string, chapter: Omit<Chapter, "markdown">) =>
    readFile(join(from, `${chapter.id}.md`), "utf8").then((markdown) => ({ ...chapter, markdown }));
  const own = guide === undefined ? [] : (await readdir(guide)).filter((file) => file.endsWith(".md")).toSorted();
  return Promise.all([
    ...chapters.map((chapter) => read(folder, chapter).then((text) => (isKnown ? text : withoutKeys(text)))),
    ...own.map((file) => read(String(guide), { id: basename(file, ".md"), group: title })),
  ]);
};

/** The path that many samples of the guide call. */
const samplePath = "/api/v1/key";

/** Adapts a chapter to a service without the resource that the samples use. */
const withoutKeys = (chapter: Chapter): Chapter => {
  const note = `The samples call \`${samplePath}\`, which this service does not have: use one of its own paths instead.`;
  const markdown = chapter.markdown.replace(/^# .*\n/, (heading) => `${heading}\n${note}\n`);
  return chapter.markdown.includes(samplePath) ? { ...chapter, markdown } : chapter;
};
