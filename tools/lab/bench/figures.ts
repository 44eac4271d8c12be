import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem, type } from "node:os";

const document = new URL("../../../docs/performance.md", import.meta.url);

/**
 * Writes figures into docs/performance.md, between `<!-- name -->` and `<!-- end -->`, with the machine that they are from.
 *
 * @throws {Error} if the document has no such block
 */
export const writeFigures = (name: string, figures: string): void => {
  const text = readFileSync(document, "utf8");
  const block = new RegExp(`(?<=<!-- ${name} -->\n).*?(?=<!-- end -->)`, "s");
  if (!block.test(text)) throw new Error(`docs/performance.md needs <!-- ${name} -->, and below it <!-- end -->.`);
  writeFileSync(
    document,
    text.replace(block, () => `\nMeasured on ${describeMachine()}.\n\n${figures}\n\n`),
  );
};

const describeMachine = (): string => {
  const [processor] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  const date = new Date().toISOString().slice(0, 10);
  return `${cpus().length} × ${processor?.model.trim()}, ${gigabytes} GB, ${type()} ${process.arch}, Node.js ${process.versions.node}, ${date}, commit ${commit}`;
};

export const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((left, right) => left - right);
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
};

/** Formats a Markdown table. Every column except the first is aligned to the right. */
export const markdownTable = (titles: readonly string[], rows: readonly (readonly string[])[]): string => {
  const marks = titles.map((_, index) => (index === 0 ? "---" : "---:"));
  return [titles, marks, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
};
