export type Cell = string | number | null;

/** Without it, Excel reads UTF-8 as the machine's code page. */
const byteOrderMark = "\ufeff";

/** Returns rows as CSV (RFC 4180) for spreadsheets. The first row has the titles. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  byteOrderMark + rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");

/**
 * Matches where a spreadsheet could start to read a formula: at the beginning of a value, or after a character at which it may
 * split the value into cells. Many spreadsheets split at semicolons, in which case a comma before a quotation mark doesn't protect
 * the quoted text. Some also accept the full-width forms.
 */
const formulaStart = /(?<=^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/g;

/** Returns a value as a cell. Apostrophes turn possible formulas into text. */
const csvCell = (value: Cell): string => {
  const harmless = String(value ?? "")
    .replace(formulaStart, "'")
    .replace(/^(?=[\t\r\n])/, "'");
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

/** The columns of a table: each has a title, and reads its value from an item and other known data. */
export type CsvColumns<Item, Known> = readonly (readonly [title: string, read: (item: Item, known: Known) => Cell])[];

/** Returns items as CSV, with the column titles. */
export const tableAsCsv = <Item, Known>(
  columns: CsvColumns<Item, Known>,
  items: readonly Item[],
  known: Known,
): string =>
  csvOf([columns.map(([title]) => title), ...items.map((item) => columns.map(([, read]) => read(item, known)))]);

/** Makes the browser save a text as a CSV file. */
export const saveCsv = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};
