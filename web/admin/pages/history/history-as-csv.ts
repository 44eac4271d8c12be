import type { Change } from "../../api/types.ts";
import { changeAsText } from "../../changes/change-text.ts";
import { authorOf } from "../../parts/author.ts";
import { type Cell, type CsvColumns, tableAsCsv } from "../../parts/csv.ts";
import { kindNames } from "./history-filters.ts";

/** Returns a token's comment, or an empty string if it has none or it isn't known. */
type CommentOf = (tokenId: string) => string;

/** The columns by title. Times are RFC 3339 in UTC. */
const columns: CsvColumns<Change, CommentOf> = [
  ["Time", ({ time }) => time],
  ["Change", ({ kind }) => kindNames[kind]],
  ["Description", (change, commentOf) => changeAsText(change, (tokenId) => commentOf(tokenId) || tokenId)],
  ["Person", ({ by }) => personOf(by)],
  ["Recorded as", ({ by }) => by],
  ["Address", ({ from }) => from],
  ["Request id", ({ request_id }) => request_id],
  ["Token id", ({ token_id }) => token_id],
  ["Comment", ({ token_id }, commentOf) => (token_id === null ? null : commentOf(token_id))],
  ["key_id", ({ key_id }) => key_id],
  ["Bound address", ({ details }) => details.ip ?? null],
  ["Code", ({ details }) => details.code ?? null],
  ["New expiry", ({ details }) => details.expires_at ?? null],
  ["New limit", ({ details }) => details.rate_limit ?? null],
  ["Successor", ({ details }) => details.successor_id ?? null],
  ["Predecessor", ({ details }) => details.predecessor_id ?? null],
];

const personOf = (by: string): Cell => {
  const author = authorOf(by);
  return author.type === "client" ? null : (author.name ?? null);
};

/** Returns changes as CSV for spreadsheets. */
export const historyAsCsv = (changes: readonly Change[], commentOf: CommentOf): string =>
  tableAsCsv(columns, changes, commentOf);
