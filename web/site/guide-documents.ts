import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Service } from "../../lambdas/declaration/service.ts";
import { isDependency, packageFolder } from "../../lambdas/shared/project-folder.ts";

const folder = join(packageFolder, "docs/guide");

/** A chapter of the guide. Its id is its file name without the suffix. */
export interface Chapter {
  id: string;
  markdown: string;
  /** The heading above the chapter in the table of contents. */
  group: string;
}

/** The chapter that ends with the changelog, and the file of an application's own. */
const [versions, changelog] = ["versions", "changelog.md"];

/**
 * Returns the chapters of the guide in the order of docs/guide/README.md, under its headings, followed by the chapters of the
 * application.
 */
export const guideChapters = async ({ title, guide }: Service): Promise<Chapter[]> => {
  const index = await readFile(join(folder, "README.md"), "utf8");
  const groups = index.split(/^## /m).slice(1);
  const chapters = groups.flatMap((text) => {
    const [group = ""] = text.split("\n", 1);
    return [...text.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, id = ""]) => ({ id, group }));
  });
  const read = (from: string, chapter: Omit<Chapter, "markdown">) =>
    readFile(join(from, `${chapter.id}.md`), "utf8").then((markdown) => ({ ...chapter, markdown }));
  const files = guide === undefined ? [] : (await readdir(guide)).filter((file) => file.endsWith(".md")).toSorted();
  const changes = files.includes(changelog) ? await readFile(join(String(guide), changelog), "utf8") : "";
  const isApplication = guide !== undefined || isDependency;
  const withChanges = (chapter: Chapter) =>
    isApplication && chapter.id === versions ? withChangelog(chapter, changes) : chapter;
  return Promise.all([
    ...chapters.map((chapter) => read(folder, chapter).then(withChanges)),
    ...files
      .filter((file) => file !== changelog)
      .map((file) => read(String(guide), { id: basename(file, ".md"), group: title })),
  ]);
};

/** Replaces the package's changelog with that of the application, if it has one. */
const withChangelog = (chapter: Chapter, changes: string): Chapter => {
  const [text = ""] = chapter.markdown.split(/^## Changelog\n/m);
  if (changes === "") return { ...chapter, markdown: text.replace(" and changelog", "") };
  const entries = changes.replace(/^# .*\n+/, "").replaceAll(/^## /gm, "### ");
  return { ...chapter, markdown: `${text}## Changelog\n\n${entries}` };
};
