import { expect, test } from "vitest";
import { csvOf } from "../../../web/parts/csv.ts";

/** Reads rows as a spreadsheet does that divides cells at any of these separators. */
const cellsOf = (text: string, separators: string): string[] => {
  const cells: string[] = [];
  const pattern = new RegExp(`(?:"((?:[^"]|"")*)")?([^${separators}\\r\\n]*)(?:[${separators}]|\\r\\n?|\\n|$)`, "gy");
  for (let match = pattern.exec(text); match?.[0]; match = pattern.exec(text)) {
    cells.push((match[1] ?? "").replaceAll('""', '"') + match[2]);
  }
  return cells;
};

const befores = ["", " ", "\u00a0", '"', '""', ";", "; ", ';"', ";;", "\t", "\n", "\r\n", "\r", 'a";', "a,;", 'a",";'];
const formulas = [..."=+-@＝＋－＠"].map((sign) => `${sign}cmd|' /c calc'!A1`);
const texts = befores.flatMap((before) => formulas.flatMap((formula) => [before + formula, `x${before}${formula};y`]));

test.each([",", ";", "\t", ",;", ",;\t"])("no cell is a formula where %j divides cells", (separators) => {
  const rows = texts.flatMap((text) => [[text], ["first", text, "last"], [text, text]]);
  const cells = cellsOf(csvOf(rows).slice(1), separators);
  expect(cells.length).toBeGreaterThan(rows.length);
  // Joined to what is in front of it, a sign is no formula.
  expect(cells.filter((cell) => /^[\s"]*[=+\-@＝＋－＠]/.test(cell) || /^[\t\r\n]/.test(cell))).toEqual([]);
});

test("all else is the same text to a spreadsheet that follows RFC 4180", () => {
  const harmless = ["a-b", "a = b", "1+1", "me@example.com", 'said "so"', "a;b", "a,b", "two\r\nlines", " space", ""];
  expect(cellsOf(csvOf([harmless]).slice(1), ",")).toEqual(harmless);
});

test("rows end with CR LF, null is empty, and the text begins with a byte order mark", () => {
  expect(
    csvOf([
      ["Time", "Limit"],
      [null, 5],
    ]),
  ).toBe("\ufeffTime,Limit\r\n,5\r\n");
});
