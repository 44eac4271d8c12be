/** A change of the code that no test notices. */
export interface Survivor {
  /** Relative to the root of the project. */
  file: string;
  /** The line before the change. */
  before: string;
  /** The changed part of the line, and a word on each side: see `changedPart`. */
  after: string;
}

export interface ExplainedSurvivor extends Survivor {
  reason: string;
}

const entry = /^- (`+) ?(?<before>.+?) ?\1 → (?<afters>.+?`): (?<reason>\S.*)$/;
const quoted = /(`+) ?(.+?) ?\1/g;

/**
 * Reads survivors.md: below the heading of each file, one list item for each line with survivors.
 *
 * @throws {Error} for a list item that does not have the form ``- `before` → `after`, `after`: reason``.
 */
export const parseSurvivors = (markdown: string): ExplainedSurvivor[] => {
  let file = "";
  return markdown.split("\n").flatMap((line) => {
    if (line.startsWith("## ")) file = line.slice("## ".length);
    if (!line.startsWith("- ")) return [];
    const { before, afters, reason } = entry.exec(line)?.groups ?? {};
    if (!before || !afters || !reason)
      throw new Error(`survivors.md has a line that is not "before → after: reason": ${line}`);
    return [...afters.matchAll(quoted)].map(([, , after = ""]) => ({ file, before, after, reason }));
  });
};

/** A survivor as a list item of survivors.md, for a reason to be added. */
export const printSurvivor = ({ before, after }: Survivor): string =>
  `- ${inBackticks(before)} → ${inBackticks(after)}: `;

/** Finds the survivors without an explanation, and the explanations without a survivor. */
export const compareSurvivors = (survivors: readonly Survivor[], explained: readonly ExplainedSurvivor[]) => {
  const isSame = (one: Survivor) => (other: Survivor) =>
    one.file === other.file && one.before === other.before && one.after === other.after;
  return {
    unexplained: survivors.filter((survivor) => !explained.some(isSame(survivor))),
    gone: explained.filter((survivor) => !survivors.some(isSame(survivor))),
  };
};

/** The part of a line that was changed, with one word on each side. Identical changes of a line are one survivor. */
export const changedPart = (before: string, after: string): string => {
  const [old, words] = [before.split(" "), after.split(" ")];
  const start = words.findIndex((word, index) => word !== old[index]);
  const same = words.toReversed().findIndex((word, index) => word !== old.toReversed()[index]);
  const [from, to] = [Math.max(0, start - 1), Math.min(words.length, words.length - same + 1)];
  return [...(from > 0 ? ["…"] : []), ...words.slice(from, to), ...(to < words.length ? ["…"] : [])].join(" ");
};

export const onOneLine = (code: string): string => code.replace(/\s+/g, " ").trim();

const inBackticks = (code: string): string => (code.includes("`") ? `\`\` ${code} \`\`` : `\`${code}\``);
