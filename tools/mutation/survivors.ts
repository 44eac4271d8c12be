/** A change of the code that no test notices: the line before and after the change. */
export interface Survivor {
  /** Relative to the root of the project. */
  file: string;
  before: string;
  after: string;
}

export interface ExplainedSurvivor extends Survivor {
  reason: string;
}

const entry = /^- (`+) ?(?<before>.+?) ?\1 → (`+) ?(?<after>.+?) ?\3: (?<reason>\S.*)$/;

/**
 * Reads survivors.md: below the heading of each file, one list item for each survivor.
 *
 * @throws {Error} for a list item that does not have the form ``- `before` → `after`: reason``.
 */
export const parseSurvivors = (markdown: string): ExplainedSurvivor[] => {
  let file = "";
  return markdown.split("\n").flatMap((line) => {
    if (line.startsWith("## ")) file = line.slice("## ".length);
    if (!line.startsWith("- ")) return [];
    const { before, after, reason } = entry.exec(line)?.groups ?? {};
    if (!before || !after || !reason)
      throw new Error(`survivors.md has a line that is not "before → after: reason": ${line}`);
    return [{ file, before, after, reason }];
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

export const onOneLine = (code: string): string => code.replace(/\s+/g, " ").trim();

const inBackticks = (code: string): string => (code.includes("`") ? `\`\` ${code} \`\`` : `\`${code}\``);
