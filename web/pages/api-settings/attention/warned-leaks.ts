import type { Leak, Token } from "../../../api/types.ts";
import { isRevocable, statusOf } from "../token/token-status.ts";

/** The tokens whose correct secret recently came from a wrong address, by their ids. */
export type Leaks = ReadonlyMap<string, Leak>;

/**
 * The leak of a token that an admin has to look at, with the addresses that nobody has dismissed; `undefined` if there is none.
 * Addresses without a name count as dismissed if the last dismissal is newer.
 */
export const warnedLeak = (leaks: Leaks | undefined, { token_id, dismissed_addresses }: Token): Leak | undefined => {
  const leak = leaks?.get(token_id);
  if (!leak) return undefined;
  const dismissed = new Set(dismissed_addresses.map(({ ip }) => ip));
  const addresses = leak.addresses.filter(({ source_ip }) => !dismissed.has(source_ip));
  const lastDismissal = dismissed_addresses.at(-1)?.dismissed_at ?? "";
  const hasOthers = leak.unlisted_at !== null && leak.unlisted_at > lastDismissal;
  return addresses.length > 0 || hasOthers ? { ...leak, addresses } : undefined;
};

/** The leaks that can still do harm: those of live tokens and invitations. */
export const harmfulLeaks = (leaks: Leaks | undefined, tokens: readonly Token[], now: number): [Token, Leak][] =>
  tokens.flatMap((token) => {
    const leak = warnedLeak(leaks, token);
    return leak && isRevocable(statusOf(token, now)) ? [[token, leak]] : [];
  });

/** The addresses of a leak; the one that called last is first. */
export const latestFirst = ({ addresses }: Leak): Leak["addresses"] =>
  addresses.toSorted((one, other) => other.last_at.localeCompare(one.last_at));
