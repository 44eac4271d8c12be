/** Formats a Markdown table. Every column except the first is aligned to the right. */
export const markdownTable = (titles: readonly string[], rows: readonly (readonly string[])[]): string => {
  const marks = titles.map((_, index) => (index === 0 ? "---" : "---:"));
  return [titles, marks, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
};

/**
 * Replaces the text between a mark in a document and the end of its block.
 *
 * @throws {Error} if the document has no such block
 */
export const replaceBlock = (text: string, name: string, contents: string): string => {
  const [before, rest = ""] = text.split(`<!-- ${name} -->\n`);
  const end = rest.indexOf("<!-- end -->");
  if (end < 0) throw new Error(`The document needs <!-- ${name} -->, and below it <!-- end -->.`);
  return `${before}<!-- ${name} -->\n\n${contents}\n\n${rest.slice(end)}`;
};
