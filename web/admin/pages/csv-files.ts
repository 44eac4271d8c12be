import type { Change, Token } from "../api/types.ts";
import { changeAsText } from "../changes/change-text.ts";
import { authorOf } from "../parts/values.tsx";
import { kindNames } from "./history/history-filters.ts";
import { statusNames, statusOf } from "./tokens/token/token-status.ts";

type Cell = string | number | null;

/** Without a byte order mark, Excel reads UTF-8 in the machine's code page. */
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

type Columns<Item, Known> = Readonly<Record<string, (item: Item, known: Known) => Cell>>;

/** Returns a function that writes items as CSV, with a title and a value for each column. */
const tableAsCsv =
  <Item, Known>(columns: Columns<Item, Known>) =>
  (items: readonly Item[], known: Known): string =>
    csvOf([Object.keys(columns), ...items.map((item) => Object.values(columns).map((read) => read(item, known)))]);

/** Makes the browser save a string as a CSV file. */
export const saveCsv = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
};

/** Writes tokens, with their states at a time. Times are RFC 3339 in UTC. A time is empty if the event has not happened. */
export const tokensAsCsv = tableAsCsv<Token, number>({
  "Token id": ({ token_id }) => token_id,
  Comment: ({ comment }) => comment,
  Client: ({ client }) => client,
  "IP address": ({ ip }) => ip,
  State: (token, now) => statusNames[statusOf(token, now)],
  Issued: ({ issued_at }) => issued_at,
  "Issued by": ({ issued_by }) => issued_by,
  "Last used": ({ last_used_at }) => last_used_at,
  Expires: ({ expires_at }) => expires_at,
  "Requests per minute": ({ rate_limit }) => rate_limit,
  Edited: ({ updated_at }) => updated_at,
  "Edited by": ({ updated_by }) => updated_by,
  Rotated: ({ rotated_at }) => rotated_at,
  "Rotated by": ({ rotated_by }) => rotated_by,
  Successor: ({ successor_id }) => successor_id,
  Predecessor: ({ predecessor_id }) => predecessor_id,
  Revoked: ({ revoked_at }) => revoked_at,
  "Revoked by": ({ revoked_by }) => revoked_by,
  "Invitation ends": ({ invitation }) => invitation?.expires_at ?? null,
  "Invitation redeemed": ({ invitation }) => invitation?.redeemed_at ?? null,
  "Address to confirm": ({ request }) => request?.ip ?? null,
  "Confirmation requested": ({ request }) => request?.requested_at ?? null,
  Decision: ({ request }) => request?.decision ?? null,
  Decided: ({ request }) => request?.decided_at ?? null,
  "Decided by": ({ request }) => request?.decided_by ?? null,
  "Trusted workload": ({ trust_id }) => trust_id,
});

/** Returns a token's comment, or an empty string if it has none or it isn't known. */
type CommentOf = (tokenId: string) => string;

/** Writes changes. Times are RFC 3339 in UTC. */
export const historyAsCsv = tableAsCsv<Change, CommentOf>({
  Time: ({ time }) => time,
  Change: ({ kind }) => kindNames[kind],
  Description: (change, commentOf) => changeAsText(change, (tokenId) => commentOf(tokenId) || tokenId),
  Person: ({ by }) => personOf(by),
  "Recorded as": ({ by }) => by,
  Address: ({ from }) => from,
  "Request id": ({ request_id }) => request_id,
  "Token id": ({ token_id }) => token_id,
  Comment: ({ token_id }, commentOf) => (token_id === null ? null : commentOf(token_id)),
  key_id: ({ key_id }) => key_id,
  Client: ({ details }) => details.client ?? null,
  "Bound address": ({ details }) => details.ip ?? null,
  Code: ({ details }) => details.code ?? null,
  "New expiry": ({ details }) => details.expires_at ?? null,
  "New limit": ({ details }) => details.rate_limit ?? null,
  Successor: ({ details }) => details.successor_id ?? null,
  Predecessor: ({ details }) => details.predecessor_id ?? null,
});

const personOf = (by: string): Cell => {
  const author = authorOf(by);
  return author.type === "client" ? null : (author.name ?? null);
};
