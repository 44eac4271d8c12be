/** A part of the report. */
export interface Chapter {
  name: string;
  /** Markdown: a heading, a table and a conclusion. */
  text: string;
  /** For the picture: a figure for each contender, as a ratio to the floor. */
  bars?: { title: string; ratios: ReadonlyMap<string, number> }[];
}

/** A Markdown table. Every column except the first is aligned to the right. */
export const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${columns.join(" | ")} |`,
    `|${columns.map((_, index) => (index === 0 ? "---" : "---:")).join("|")}|`,
    ...rows.map((row) => `| ${row.join(" | ")} |`),
  ].join("\n");

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A figure with about three significant digits. */
export const digits = (value: number): string => (Math.abs(value) < 100 ? fine : whole).format(value);

export const ratio = (value: number): string => value.toFixed(2);

/** `met`, or `missed`: a goal of the benchmark. */
export const verdict = (isMet: boolean): string => (isMet ? "met" : "**missed**");
