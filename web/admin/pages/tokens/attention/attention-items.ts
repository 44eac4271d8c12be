import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { dueNotices, dueTrustNotices, expiresWithin } from "../../../../../lambdas/admin/notices/due-notices.ts";
import { expiringDays } from "../../../../../lambdas/domain/tokens/token-limits.ts";
import type { ConfirmationRequest, Leak, Token, Trust } from "../../../api/types.ts";
import { useApp } from "../../../parts/app-context.tsx";
import type { Trusts } from "../../../records/caches.ts";
import { statusOf } from "../token/token-status.ts";
import { harmfulLeaks, type Leaks } from "../usage/leaks.ts";

/** Something that an admin should look at, by kind of notice. */
export type AttentionItem =
  | { kind: "confirmation_waiting"; token: Token; request: ConfirmationRequest }
  | { kind: "token_leaked"; token: Token; leak: Leak }
  /** A JWT came from an address other than the trust's. */
  | { kind: "trust_leaked"; trust: Trust; leak: Leak }
  | { kind: "trust_ends" | "issuer_unreachable"; trust: Trust; time: string }
  /** `time` is when the token or its invitation ends. */
  | { kind: "rotation_unfinished" | "token_expires" | "invitation_unused"; token: Token; time: string }
  /** `time` is the last use, or the start of a token that was never used. */
  | { kind: "token_unused"; token: Token; time: string };

interface AttentionContext {
  now: number;
  /** `undefined` until loaded. */
  leaks: Leaks | undefined;
  trusts: readonly Trust[];
}

/** Returns what needs attention, most urgent first. The service sends notices about the same things. */
export const attentionItems = (tokens: readonly Token[], context: AttentionContext): AttentionItem[] => {
  const { now, leaks, trusts } = context;
  const due = tokens.flatMap((token) => dueItems(token, now));
  const leaked = harmfulLeaks(leaks, tokens, now).map(
    ([token, leak]): AttentionItem => ({ kind: "token_leaked", token, leak }),
  );
  const ofTrusts = trusts.flatMap((trust) => trustItems(trust, leaks?.get(trust.trust_id), now));
  return [...due, ...leaked, ...ofTrusts].sort(
    (one, other) => urgency[one.kind] - urgency[other.kind] || byTime(one, other),
  );
};

const dueItems = (token: Token, now: number): AttentionItem[] => {
  const status = statusOf(token, now);
  // The token's state may have changed since the token was loaded.
  const state = status === "rotated" ? "active" : status === "moved" ? "expired" : status;
  return dueNotices({ ...token, state }, new Date(now).toISOString()).flatMap(({ kind, details }): AttentionItem[] => {
    switch (kind) {
      case "confirmation_waiting":
        return token.request ? [{ kind, token, request: token.request }] : [];
      case "rotation_unfinished":
      case "token_expires":
      case "invitation_unused":
        return [{ kind, token, time: details.expires_at ?? "" }];
      case "token_unused":
        return [{ kind, token, time: details.unused_since ?? "" }];
      default:
        return [];
    }
  });
};

const trustItems = (trust: Trust, leak: Leak | undefined, now: number): AttentionItem[] => {
  const due = dueTrustNotices(trust, new Date(now).toISOString()).flatMap(({ kind, details }): AttentionItem[] => {
    if (kind === "trust_ends") return [{ kind, trust, time: details.expires_at ?? "" }];
    return kind === "issuer_unreachable" ? [{ kind, trust, time: details.unreachable_since ?? "" }] : [];
  });
  // The trust's address may have been changed or removed since.
  const addresses = leak?.addresses.filter(({ source_ip }) => trust.ip !== null && source_ip !== trust.ip) ?? [];
  if (!leak || addresses.length === 0 || trust.state === "ended") return due;
  return [...due, { kind: "trust_leaked", trust, leak: { ...leak, addresses } }];
};

/** Items with the same urgency are sorted by time. */
const urgency: Record<AttentionItem["kind"], number> = {
  token_leaked: 0,
  trust_leaked: 0,
  confirmation_waiting: 1,
  issuer_unreachable: 2,
  rotation_unfinished: 3,
  token_expires: 3,
  trust_ends: 3,
  invitation_unused: 3,
  token_unused: 4,
};

/** Sorts leaks newest first. Requests are sorted by arrival, so that a new request doesn't move the buttons of the others. */
const byTime = (one: AttentionItem, other: AttentionItem): number => {
  return ("leak" in one ? -1 : 1) * timeOf(one).localeCompare(timeOf(other));
};

const timeOf = (item: AttentionItem): string => {
  switch (item.kind) {
    case "confirmation_waiting":
      return item.request.requested_at;
    case "token_leaked":
    case "trust_leaked":
      return item.leak.time;
    default:
      return item.time;
  }
};

export const attentions = ["leaked", "expiring", "rotation", "invitation", "unused"] as const;

/** A reason why tokens need attention. The list can be filtered by it. */
export type Attention = (typeof attentions)[number];

/** The names of the filters. */
export const attentionNames: Record<Attention, string> = {
  leaked: "Leaked",
  expiring: `Expires within ${expiringDays} days`,
  rotation: "Old token still in use",
  invitation: "Invitation not used",
  unused: "Unused for 90 days",
};

const kinds: Record<Attention, AttentionItem["kind"]> = {
  leaked: "token_leaked",
  expiring: "token_expires",
  rotation: "rotation_unfinished",
  invitation: "invitation_unused",
  unused: "token_unused",
};

/** The ids of the tokens that each filter shows. */
export type Reasons = Readonly<Record<Attention, ReadonlySet<string>>>;

/**
 * Returns the ids of the tokens that each filter shows. The filter for tokens that expire soon also has those that nobody uses,
 * which need no attention.
 */
export const idsByReason = (tokens: readonly Token[], items: readonly AttentionItem[], now: number): Reasons => {
  const ids = {} as Record<Attention, ReadonlySet<string>>;
  for (const attention of attentions) ids[attention] = idsNeeding(items, attention);
  const expiring = tokens.filter((token) => expiresWithin(expiringDays, token, now));
  return { ...ids, expiring: new Set(expiring.map(({ token_id }) => token_id)) };
};

/** Returns the ids of the tokens that need attention for a reason. */
export const idsNeeding = (items: readonly AttentionItem[], attention: Attention): ReadonlySet<string> =>
  new Set(items.flatMap((item) => (item.kind === kinds[attention] && "token" in item ? [item.token.token_id] : [])));

/** Identifies an item. A new request for the same token is a different item. */
export const keyOf = (item: AttentionItem): string => {
  if ("trust" in item) return `${item.kind} ${item.trust.trust_id}`;
  const { kind, token } = item;
  return [kind, token.token_id, kind === "confirmation_waiting" ? item.request.code : ""].join(" ");
};

/** Returns what needs attention, and the leaks, which aren't part of the token list. */
export const useAttention = (tokens: readonly Token[], trusts: Trusts | undefined, now: number) => {
  const leaks = useLeaks();
  const items = useMemo(
    () => attentionItems(tokens, { leaks: leaks.data, trusts: [...(trusts?.values() ?? [])], now }),
    [tokens, trusts, leaks.data, now],
  );
  const reasons = useMemo(() => idsByReason(tokens, items, now), [tokens, items, now]);
  return { items, reasons, leaks };
};

const useLeaks = () => {
  const { api } = useApp();
  return useQuery({
    queryKey: ["leaks"],
    queryFn: async ({ signal }): Promise<Leaks> => {
      const { leaks } = await api("leaks", {}, { signal });
      return new Map(leaks.map((leak) => [leak.token_id, leak]));
    },
  });
};
