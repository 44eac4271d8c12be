import type { Leak, LeakAddress, Token, Usage } from "../../../api/types.ts";
import { isRevocable, isUnredeemed, statusOf } from "../token/token-status.ts";

type Dismissal = Token["dismissed_addresses"][number];

/** A wrong address, with its calls in the last seven days and the admin who recognised it, if any. */
export interface LeakSource {
  ip: string;
  calls?: LeakAddress;
  dismissal?: Dismissal | undefined;
}

/** Returns the dismissals by address, and the time of the last one, which also covers addresses that the service could not list. */
const dismissalsOf = ({ dismissed_addresses }: Token) => ({
  dismissals: new Map(dismissed_addresses.map((dismissal) => [dismissal.ip, dismissal])),
  lastDismissal: dismissed_addresses.at(-1)?.dismissed_at ?? "",
});

/**
 * Returns all wrong addresses of a token. Addresses with calls come first, most recent first, then those that are only dismissed.
 */
export const leakSources = (token: Token, { leaks: { addresses } }: Usage): LeakSource[] => {
  const { dismissals } = dismissalsOf(token);
  const calling = new Set(addresses.map(({ source_ip }) => source_ip));
  return [
    ...addresses.map((calls) => ({ ip: calls.source_ip, calls, dismissal: dismissals.get(calls.source_ip) })),
    ...[...dismissals].filter(([ip]) => !calling.has(ip)).map(([ip, dismissal]) => ({ ip, dismissal })),
  ];
};

/** Calls with the correct secret from unrecognised addresses, which an admin should look at. */
export interface LeakWarning {
  /** Includes calls from addresses that the service had no room to list. */
  calls: number;
  last: { ip: string; time: string };
  /** The addresses that can be dismissed, most recent first. */
  addresses: string[];
  unlistedCalls: number;
  /** The secret that was used: a token, an invitation that can still be redeemed, or one that was redeemed before. */
  cause: "token" | "invitation" | "used invitation";
}

export const leakWarning = (token: Token, { leaks, refusals }: Usage): LeakWarning | undefined => {
  const { dismissals, lastDismissal } = dismissalsOf(token);
  const open = leaks.addresses.filter(({ source_ip }) => !dismissals.has(source_ip));
  const listed = new Set(leaks.addresses.map(({ source_ip }) => source_ip));
  const leaked = refusals.filter(({ leak, source_ip }) => leak && !dismissals.has(source_ip));
  const unlisted = leaked.find(({ source_ip, time }) => !listed.has(source_ip) && time > lastDismissal);
  const unlistedCalls = open.length > 0 || unlisted ? leaks.unlisted_calls : 0;
  const times = open.map(({ source_ip, last_at }) => ({ ip: source_ip, time: last_at }));
  if (unlisted) times.push({ ip: unlisted.source_ip, time: unlisted.time });
  const [last] = times.toSorted((one, other) => other.time.localeCompare(one.time));
  // Only the errors of the latest calls are known. A token that was used as well takes precedence, because it is the greater
  // danger.
  const wasUsed = leaked.length > 0 && leaked.every(({ code }) => code === "invitation_used");
  return (
    last && {
      calls: open.reduce((sum, { calls }) => sum + calls, unlistedCalls),
      last,
      addresses: open.map(({ source_ip }) => source_ip),
      unlistedCalls,
      cause: isUnredeemed(token) ? "invitation" : wasUsed ? "used invitation" : "token",
    }
  );
};

/** The tokens whose correct secret recently came from a wrong address, by id. */
export type Leaks = ReadonlyMap<string, Leak>;

/** Returns the leaks with undismissed addresses that can still do harm: those of live tokens and invitations. */
export const harmfulLeaks = (leaks: Leaks | undefined, tokens: readonly Token[], now: number): [Token, Leak][] =>
  tokens.flatMap((token) => {
    const leak = leaks?.get(token.token_id);
    if (!leak || !isRevocable(statusOf(token, now))) return [];
    const { dismissals, lastDismissal } = dismissalsOf(token);
    const addresses = leak.addresses.filter(({ source_ip }) => !dismissals.has(source_ip));
    const hasOthers = leak.unlisted_at !== null && leak.unlisted_at > lastDismissal;
    return addresses.length > 0 || hasOthers ? [[token, { ...leak, addresses }]] : [];
  });
