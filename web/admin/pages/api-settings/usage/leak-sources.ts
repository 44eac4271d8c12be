import type { Leak, LeakAddress, Refusal, Token, Usage } from "../../../api/types.ts";
import { isRevocable, isUnredeemed, statusOf } from "../token/token-status.ts";

export type Dismissal = Token["dismissed_addresses"][number];

/** A wrong address, with its calls in the last seven days and the admin who recognised it, if any. */
export interface LeakSource {
  ip: string;
  calls?: LeakAddress;
  dismissal?: Dismissal;
}

/**
 * Returns all wrong addresses of a token. Addresses with calls come first, most recent first, then those that are only dismissed.
 */
export const leakSources = ({ dismissed_addresses }: Token, { leaks }: Usage): LeakSource[] => {
  const dismissals = new Map(dismissed_addresses.map((dismissal) => [dismissal.ip, dismissal]));
  const sources = leaks.addresses.map((calls) => {
    const dismissal = dismissals.get(calls.source_ip);
    dismissals.delete(calls.source_ip);
    return { ip: calls.source_ip, calls, ...(dismissal && { dismissal }) };
  });
  return [...sources, ...[...dismissals].map(([ip, dismissal]) => ({ ip, dismissal }))];
};

/**
 * The secret that came from a wrong address: a token, an invitation that can still be redeemed, or one that was redeemed before.
 */
export type LeakCause = "token" | "invitation" | "used invitation";

/** Calls with the correct secret from unrecognised addresses, which an admin should look at. */
export interface LeakWarning {
  /** Includes calls from addresses that the service had no room to list. */
  calls: number;
  last: { ip: string; time: string };
  /** The addresses that can be dismissed, most recent first. */
  addresses: string[];
  unlistedCalls: number;
  cause: LeakCause;
}

export const leakWarning = (token: Token, usage: Usage): LeakWarning | undefined => {
  const open = leakSources(token, usage).flatMap(({ calls, dismissal }) => (calls && !dismissal ? [calls] : []));
  const unlisted = unlistedRefusal(token, usage);
  const unlistedCalls = open.length > 0 || unlisted ? usage.leaks.unlisted_calls : 0;
  const times = open.map(({ source_ip, last_at }) => ({ ip: source_ip, time: last_at }));
  if (unlisted) times.push({ ip: unlisted.source_ip, time: unlisted.time });
  const [last] = times.toSorted((one, other) => other.time.localeCompare(one.time));
  return (
    last && {
      calls: open.reduce((sum, { calls }) => sum + calls, unlistedCalls),
      last,
      addresses: open.map(({ source_ip }) => source_ip),
      unlistedCalls,
      cause: causeOf(token, usage),
    }
  );
};

/**
 * Determines the cause from the latest calls, the only ones whose errors are known. If a token was used as well, it wins, because
 * it is the greater danger.
 */
const causeOf = (token: Token, { refusals }: Usage): LeakCause => {
  if (isUnredeemed(token)) return "invitation";
  const dismissed = new Set(token.dismissed_addresses.map(({ ip }) => ip));
  const open = refusals.filter(({ leak, source_ip }) => leak && !dismissed.has(source_ip));
  return open.length > 0 && open.every(({ code }) => code === "invitation_used") ? "used invitation" : "token";
};

/**
 * Returns the last call from an address that the service had no room to list. As in the token list, a later dismissal settles it.
 */
const unlistedRefusal = ({ dismissed_addresses }: Token, { leaks, refusals }: Usage): Refusal | undefined => {
  const listed = new Set([
    ...leaks.addresses.map(({ source_ip }) => source_ip),
    ...dismissed_addresses.map(({ ip }) => ip),
  ]);
  const lastDismissal = dismissed_addresses.at(-1)?.dismissed_at ?? "";
  return refusals.find(({ leak, source_ip, time }) => leak && !listed.has(source_ip) && time > lastDismissal);
};

/** The tokens whose correct secret recently came from a wrong address, by id. */
export type Leaks = ReadonlyMap<string, Leak>;

/**
 * Returns a token's leak with the undismissed addresses, or `undefined` if there is nothing to look at. Unlisted addresses count as
 * dismissed if the last dismissal is newer.
 */
const warnedLeak = (leaks: Leaks | undefined, { token_id, dismissed_addresses }: Token): Leak | undefined => {
  const leak = leaks?.get(token_id);
  if (!leak) return undefined;
  const dismissed = new Set(dismissed_addresses.map(({ ip }) => ip));
  const addresses = leak.addresses.filter(({ source_ip }) => !dismissed.has(source_ip));
  const lastDismissal = dismissed_addresses.at(-1)?.dismissed_at ?? "";
  const hasOthers = leak.unlisted_at !== null && leak.unlisted_at > lastDismissal;
  return addresses.length > 0 || hasOthers ? { ...leak, addresses } : undefined;
};

/** Returns the leaks that can still do harm: those of live tokens and invitations. */
export const harmfulLeaks = (leaks: Leaks | undefined, tokens: readonly Token[], now: number): [Token, Leak][] =>
  tokens.flatMap((token) => {
    const leak = warnedLeak(leaks, token);
    return leak && isRevocable(statusOf(token, now)) ? [[token, leak]] : [];
  });

/** Returns a leak's addresses, most recent caller first. */
export const latestFirst = ({ addresses }: Leak): Leak["addresses"] =>
  addresses.toSorted((one, other) => other.last_at.localeCompare(one.last_at));
