import type { Token } from "../../../api/types.ts";
import { statusOf } from "../token/token-status.ts";

export const sortColumns = ["comment", "ip", "state", "issuer", "issued", "used", "expires"] as const;

export type SortColumn = (typeof sortColumns)[number];

/** Sorts ten thousand texts several times as fast as `localeCompare`. */
const texts = new Intl.Collator("en", { numeric: true });

const order = { awaiting_confirmation: 0, invited: 1, active: 2, rotated: 3, expired: 4, revoked: 5 };
const byStatus = (token: Token): number => order[statusOf(token, Date.now())];

/** Times sort as text; `absent` stands in for a time that is null. */
const byTime =
  (field: "issued_at" | "last_used_at" | "expires_at", absent: string) =>
  (one: Token, other: Token): number => {
    const [time, otherTime] = [one[field] ?? absent, other[field] ?? absent];
    return time < otherTime ? -1 : Number(time > otherTime);
  };

/** The ascending order of each column. */
export const comparators: Record<SortColumn, (one: Token, other: Token) => number> = {
  comment: (one, other) => texts.compare(one.comment, other.comment),
  ip: (one, other) => texts.compare(one.ip ?? "", other.ip ?? ""),
  state: (one, other) => byStatus(one) - byStatus(other),
  issuer: (one, other) => texts.compare(one.issued_by, other.issued_by),
  issued: byTime("issued_at", ""),
  used: byTime("last_used_at", ""),
  expires: byTime("expires_at", "9999"),
};
