import { addresses } from "../../../lambdas/addresses.ts";
import { type ChangeKind, changeKinds } from "../../../lambdas/resources/history/change-kinds.ts";

/** Which changes the page shows. They are in the query of the address, under the names that the service has for them. */
export interface HistoryFilters {
  /** An admin, an invoker, or the id of a client's token. */
  person?: string;
  token_id?: string;
  key_id?: string;
  kind?: ChangeKind;
  /** RFC 3339. */
  since?: string;
  until?: string;
}

/** Reads the filters from the query of an address. Invalid values count as absent. */
export const parseFilters = (search: string): HistoryFilters => {
  const query = new URLSearchParams(search);
  const [person, tokenId, keyId] = ["person", "token_id", "key_id"].map((name) => query.get(name));
  const kind = changeKinds.find((name) => name === query.get("kind"));
  const [since, until] = ["since", "until"].map((name) => validTime(query.get(name)));
  return {
    ...(person && { person }),
    ...(tokenId && { token_id: tokenId }),
    ...(keyId && { key_id: keyId }),
    ...(kind && { kind }),
    ...(since && { since }),
    ...(until && { until }),
  };
};

const validTime = (text: string | null): string | undefined => {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

/** The address of the history with these filters, beginning after a cursor. */
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
  created: "Key created",
  replaced: "v_code replaced",
  revealed: "v_code shown",
  deleted: "Key deleted",
};

/** The value of a field for date and time, in the time zone of this browser: "2026-11-21T19:30", with seconds unless they are 0. */
export const toField = (time: string | undefined): string => {
  if (time === undefined) return "";
  // Swedish writes dates as the field does.
  const [date, clock = ""] = new Date(time).toLocaleString("sv").split(" ");
  return `${date}T${clock.replace(/:00$/, "")}`;
};
