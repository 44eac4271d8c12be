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

/** Returns the value below which this share of the values is. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.round((values.length - 1) * share)] ?? Number.NaN;

/** Formats a Markdown table. Every column except the first is aligned to the right. */
export const markdownTable = (titles: readonly string[], rows: readonly (readonly string[])[]): string => {
  const marks = titles.map((_, index) => (index === 0 ? "---" : "---:"));
  return [titles, marks, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
};
