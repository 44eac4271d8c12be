import { type ChangeKind, changeKinds } from "../../../../lambdas/domain/history/change-kinds.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { ActionInput } from "../../api/types.ts";
import { dayMs } from "../../parts/time.ts";

/** The ranges that end now, with their lengths and names. */
export const recentRanges = {
  day: { text: "Last 24 hours", ms: dayMs },
  week: { text: "Last 7 days", ms: 7 * dayMs },
} as const;

export type RecentRange = keyof typeof recentRanges;

const rangeNames = ["day", "week"] as const satisfies RecentRange[];

/** The filters of the page. They are kept in the address's query, under the service's names for them. */
export interface HistoryFilters {
  /** An admin, an invoker, or the id of a client's token. */
  person?: string;
  /** The beginning of a person's name. */
  person_prefix?: string;
  token_id?: string;
  key_id?: string;
  kind?: ChangeKind;
  /** Used instead of `since` and `until`. */
  last?: RecentRange;
  /** RFC 3339. */
  since?: string;
  until?: string;
}

/** Parses the filters from an address's query. Invalid values count as absent. */
export const parseFilters = (search: string): HistoryFilters => {
  const query = new URLSearchParams(search);
  const [person, prefix, tokenId, keyId] = ["person", "person_prefix", "token_id", "key_id"].map((name) =>
    query.get(name),
  );
  const kind = changeKinds.find((name) => name === query.get("kind"));
  const last = rangeNames.find((name) => name === query.get("last"));
  const [since, until] = ["since", "until"].map((name) => validTime(query.get(name)));
  return {
    ...(person && { person }),
    ...(!person && prefix && { person_prefix: prefix }),
    ...(tokenId && { token_id: tokenId }),
    ...(keyId && { key_id: keyId }),
    ...(kind && { kind }),
    ...(last && { last }),
    ...(!last && since && { since }),
    ...(!last && until && { until }),
  };
};

/** Converts the filters to the service's format. */
export const inputOf = ({ last, ...filters }: HistoryFilters, now = Date.now()): ActionInput<"history"> =>
  last === undefined ? filters : { ...filters, since: new Date(now - recentRanges[last].ms).toISOString() };

/** Returns what is wrong with the beginning of a range, or an empty string. */
export const rangeError = ({ since, until }: HistoryFilters): string =>
  since !== undefined && until !== undefined && since >= until ? "Since must be before Until." : "";

const validTime = (text: string | null): string | undefined => {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

/** Returns the address of the history with these filters, starting after a cursor. */
export const historyAddress = (filters: HistoryFilters, after?: string): string =>
  addresses.historyOf({ ...filters, ...(after !== undefined && { after }) });

export const isFiltered = (filters: HistoryFilters): boolean => Object.keys(filters).length > 0;

export const kindNames: Record<ChangeKind, string> = {
  issued: "Token issued",
  invited: "Client invited",
  requested: "Confirmation requested",
  confirmed: "Address confirmed",
  rejected: "Address rejected",
  redeemed: "Invitation redeemed",
  updated: "Token edited",
  leak_dismissed: "Warning dismissed",
  leak_restored: "Warning restored",
  rotated: "Token rotated",
  moved: "Token moved",
  succeeded: "Successor issued",
  revoked: "Token revoked",
  exchanged: "JWT exchanged",
  trusted: "Workload trusted",
  trust_updated: "Trust changed",
  trust_ended: "Trust ended",
  created: "Key created",
  replaced: "v_code replaced",
  revealed: "v_code shown",
  deleted: "Key deleted",
};

/** Returns the value of a date-and-time field in this browser's time zone: "2026-11-21T19:30", with seconds unless they are 0. */
export const toField = (time: string | undefined): string => {
  if (time === undefined) return "";
  // The Swedish date format is the one that the field uses.
  const [date, clock = ""] = new Date(time).toLocaleString("sv").split(" ");
  return `${date}T${clock.replace(/:00$/, "")}`;
};
