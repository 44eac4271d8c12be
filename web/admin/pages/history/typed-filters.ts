import type { Token } from "../../api/types.ts";
import { tokenName } from "../../tokens/token-name.tsx";
import { type HistoryFilters, parseFilters, type RecentRange, toField } from "./history-filters.ts";

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
    ...{ since: toField(since), until: toField(until) },
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
    ...{ token_id: named.tokenId, key_id, kind: filters.kind },
    ...(time === "between" ? { since, until } : { last: time }),
  };
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { shown, next: parseFilters(new URLSearchParams(given).toString()), tokenError: named.error ?? "" };
};

/** Whether a text has the format of a token id. */
export const isTokenId = (text: string): boolean => /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(text);

/** Returns the filter for a person. Names may be incomplete, but clients are identified by their token's id. */
const personNamed = (text: string) => (isTokenId(text) ? { person: text } : { person_prefix: text });

/** The token that a text refers to, or the reason why there is none. */
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
