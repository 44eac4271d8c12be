import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFolder } from "../project-folder.ts";

const folder = join(packageFolder, "docs/guide");

/** A chapter of the guide. Its id is the name of its file without the suffix. */
export interface Chapter {
  id: string;
  markdown: string;
  /** The heading above it in the table of contents. */
  group: string;
}

/** The chapters of the guide, in the order in which docs/guide/README.md lists them, under its headings. */
export const guideChapters = async (): Promise<Chapter[]> => {
  const index = await readFile(join(folder, "README.md"), "utf8");
  const groups = index.split(/^## /m).slice(1);
  const chapters = groups.flatMap((text) => {
    const [group = ""] = text.split("\n", 1);
    return [...text.matchAll(/\]\(([\w-]+)\.md\)/g)].map(([, id = ""]) => ({ id, group }));
  });
  return Promise.all(
    chapters.map(async (chapter) => ({
      ...chapter,
      markdown: await readFile(join(folder, `${chapter.id}.md`), "utf8"),
    })),
  );
};
