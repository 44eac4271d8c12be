export type Cell = string | number | null;

/** Without it, Excel takes UTF-8 for the code page of the machine. */
const byteOrderMark = "\ufeff";

/** Rows as CSV (RFC 4180), for spreadsheets. The first row has the titles. */
export const csvOf = (rows: readonly (readonly Cell[])[]): string =>
  byteOrderMark + rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");

/** What a spreadsheet would take for a formula begins with one of these characters; some read the wide forms, too. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

/** A value as a cell. An apostrophe turns what a spreadsheet would take for a formula into text. */
const csvCell = (value: Cell): string => {
  const text = String(value ?? "");
  const harmless = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};
