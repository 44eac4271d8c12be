export type Cell = string | number | null;

/** Without it, Excel takes UTF-8 for the code page of the machine. */
const byteOrderMark = "\ufeff";

/** Rows as CSV (RFC 4180), for spreadsheets. The first row has the titles. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  byteOrderMark + rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");

/**
 * Where a spreadsheet would begin to read a formula: at the beginning of a value, or after a character at which it may
 * divide the value into cells. Many divide at semicolons, and then a comma before a quotation mark does not protect what
 * is quoted. Some read the wide forms, too.
 */
const formulaStart = /(?<=^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/g;

/** A value as a cell. Apostrophes turn what a spreadsheet would take for formulas into text. */
const csvCell = (value: Cell): string => {
  const harmless = String(value ?? "")
    .replace(formulaStart, "'")
    .replace(/^(?=[\t\r\n])/, "'");
  return /[",;\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

/** The columns of a table by their titles, and how each is read from an item and from what else is known. */
export type CsvColumns<Item, Known> = readonly (readonly [title: string, read: (item: Item, known: Known) => Cell])[];

/** Items as CSV, with the titles of the columns. */
export const tableAsCsv = <Item, Known>(
  columns: CsvColumns<Item, Known>,
  items: readonly Item[],
  known: Known,
): string =>
  csvOf([columns.map(([title]) => title), ...items.map((item) => columns.map(([, read]) => read(item, known)))]);

/** Lets the browser save a text as a CSV file. */
export const saveCsv = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};
