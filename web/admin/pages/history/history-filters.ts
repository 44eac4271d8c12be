import { type ChangeKind, changeKinds } from "../../../../lambdas/domain/history/change-kinds.ts";
import { addresses } from "../../../../lambdas/shared/addresses.ts";
import type { ActionInput, Token } from "../../api/types.ts";
import { dayMs } from "../../parts/time.ts";
import { tokenName } from "../../parts/token-name.tsx";
import { replacedTitle } from "../../records/key-words.ts";

/** The query key shared by all pages of the history. */
export const historyPagesKey = ["history", "page"];

/** The ranges that end now, with their lengths and names. */
export const recentRanges = {
  day: { text: "Last 24 hours", ms: dayMs },
  week: { text: "Last 7 days", ms: 7 * dayMs },
} as const;

type RecentRange = keyof typeof recentRanges;

const rangeNames = ["day", "week"] as const satisfies RecentRange[];

const authorGroups = ["admins", "clients"] as const;

/** The filters of the page. The filters are kept in the address's query, under the service's names. */
export interface HistoryFilters {
  /** An admin, an invoker, or the id of a client's token. */
  person?: string | undefined;
  /** The beginning of a person's name. */
  person_prefix?: string | undefined;
  made_by?: (typeof authorGroups)[number] | undefined;
  token_id?: string | undefined;
  key_id?: string | undefined;
  kind?: ChangeKind | undefined;
  /** Used instead of `since` and `until`. */
  last?: RecentRange | undefined;
  /** RFC 3339. */
  since?: string | undefined;
  until?: string | undefined;
}

/** Parses the filters from an address's query. Invalid values count as absent. */
export const parseFilters = (search: string): HistoryFilters => {
  const query = new URLSearchParams(search);
  const textOf = (name: string) => query.get(name) || undefined;
  const person = textOf("person");
  const last = rangeNames.find((name) => name === query.get("last"));
  return {
    person,
    person_prefix: person === undefined ? textOf("person_prefix") : undefined,
    made_by: authorGroupOf(query.get("made_by")),
    token_id: textOf("token_id"),
    key_id: textOf("key_id"),
    kind: kindOf(query.get("kind")),
    last,
    since: last === undefined ? validTime(query.get("since")) : undefined,
    until: last === undefined ? validTime(query.get("until")) : undefined,
  };
};

export const authorGroupOf = (text: string | null) => authorGroups.find((name) => name === text);
export const kindOf = (text: string | null | undefined) => changeKinds.find((name) => name === text);

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
  addresses.historyOf(Object.fromEntries(given({ ...filters, after })));

export const countFilters = (filters: HistoryFilters): number => given(filters).length;

const given = (values: object): [name: string, value: string][] =>
  Object.entries(values).filter(([, value]) => value !== undefined);

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
  replaced: replacedTitle,
  revealed: "v_code shown",
  deleted: "Key deleted",
};

/** Returns the value of a date-and-time field in this browser's time zone: "2026-11-21T19:30", with seconds unless they are 0. */
export const toField = (time: string | undefined): string => {
  if (time === undefined) return "";
  // Swedish dates have the format that the field uses.
  const [date, clock = ""] = new Date(time).toLocaleString("sv").split(" ");
  return `${date}T${clock.replace(/:00$/, "")}`;
};

/** The choices of the time filter. */
export type TimeChoice = RecentRange | "any" | "between";

/** The values in the filter form. */
export interface ShownFilters {
  person: string;
  token: string;
  key_id: string;
  time: TimeChoice;
  /** In the format of the browser's date-and-time fields. */
  since: string;
  until: string;
}

/** The input since the filters were last applied. */
export type TypedFilters = Partial<ShownFilters>;

type Tokens = ReadonlyMap<string, Token>;

const shownFor = (filters: HistoryFilters, tokens: Tokens): ShownFilters => {
  const { person, person_prefix, token_id = "", key_id = "", last, since, until } = filters;
  const token = tokens.get(token_id);
  const isBetween = since !== undefined || until !== undefined;
  return {
    person: person ?? person_prefix ?? "",
    token: token ? tokenName(token) : token_id,
    key_id,
    time: last ?? (isBetween ? "between" : "any"),
    since: toField(since),
    until: toField(until),
  };
};

/** Returns the form's values, the resulting filters, and what is wrong with the token's name. */
export const readTyped = (filters: HistoryFilters, typed: TypedFilters, tokens: Tokens) => {
  const shown = { ...shownFor(filters, tokens), ...typed };
  const { key_id, time, since, until } = shown;
  const named: Named =
    typed.token === undefined ? { tokenId: filters.token_id } : tokenNamed(typed.token.trim(), tokens);
  const query = {
    ...(typed.person === undefined
      ? { person: filters.person, person_prefix: filters.person_prefix }
      : personNamed(typed.person.trim())),
    token_id: named.tokenId,
    key_id,
    kind: filters.kind,
    made_by: filters.made_by,
    ...(time === "between" ? { since, until } : { last: time }),
  };
  return { shown, next: parseFilters(new URLSearchParams(given(query)).toString()), tokenError: named.error ?? "" };
};

/** Whether a string has the format of a token id. */
export const isTokenId = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(text);

/** Returns the filter for a person. Names may be incomplete, but clients are identified by their token's id. */
const personNamed = (text: string) => (isTokenId(text) ? { person: text } : { person_prefix: text });

/** The token that a string refers to, or the reason why there is none. */
interface Named {
  tokenId?: string | undefined;
  error?: string;
}

const tokenNamed = (text: string, tokens: Tokens): Named => {
  if (text === "") return {};
  if (isTokenId(text)) return { tokenId: text.toUpperCase() };
  const [token, ...others] = [...tokens.values()].filter(
    (each) => tokenName(each).toLowerCase() === text.toLowerCase(),
  );
  if (!token) return { error: "No token has this name. Choose one from the list." };
  return others.length === 0 ? { tokenId: token.token_id } : { error: "Several tokens have this name. Choose one." };
};
