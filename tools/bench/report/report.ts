import { readFile, writeFile } from "node:fs/promises";
import { describeMachine } from "./machine.ts";
import type { Chapter } from "./table.ts";

const file = new URL("../../../docs/performance.md", import.meta.url);
const begin = "<!-- The rest of this page is written by npm run bench. -->";

/** Writes the figures of a run below the handwritten part of docs/performance.md. */
export const writeReport = async (chapters: readonly Chapter[]): Promise<void> => {
  const [prose] = (await readFile(file, "utf8")).split(begin);
  const heading = `# Figures\n\n${describeMachine()}.\n\n![Ratios to the floor](performance.svg)`;
  const text = [prose?.trimEnd(), begin, heading, ...chapters.map((chapter) => chapter.text)].join("\n\n");
  await writeFile(file, `${text}\n`);
};
