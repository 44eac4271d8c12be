import * as z from "zod/mini";

/** Longer than any declared route. */
export const maxRouteLength = 300;

export const claimName = z.string().check(z.regex(/^[a-z]{3}$/));

/** A call that was rejected although it sent a token's correct secret. */
export const refusal = z.object({
  /** RFC 3339, UTC, with milliseconds. */
  time: z.string(),
  /** The error's code in the catalogue. */
  code: z.string(),
  status: z.number(),
  /** The address that the service saw. */
  source_ip: z.string(),
  route: z.string(),
  /** Whether the address was not the token's own, so the secret may be in the wrong hands. */
  leak: z.boolean(),
  /** The wrong claim of a workload's JWT. */
  claim: z.optional(claimName),
});

export type Refusal = z.output<typeof refusal>;

/** A wrong address from which a token's correct secret was sent. Times are RFC 3339 in UTC, with milliseconds. */
export const leakAddress = z.object({
  source_ip: z.string(),
  /** The times of the first and the last call. */
  first_at: z.string(),
  last_at: z.string(),
});

export type LeakAddress = z.output<typeof leakAddress>;

/** A leak address with its number of calls. */
export const countedLeakAddress = z.extend(leakAddress, { calls: z.number() });

export type CountedLeakAddress = z.output<typeof countedLeakAddress>;

/**
 * Maximum number of listed addresses, both for a token in an hour and for a token as a whole. The first addresses stay listed, so
 * that later ones cannot hide them.
 */
export const maxNamedAddresses = 20;

/** Merges both lists without duplicates, up to `most` addresses. Known addresses come first. */
export const mergeLeakAddresses = <Address extends LeakAddress>(
  known: readonly Address[],
  more: readonly Address[],
  combine: (one: Address, other: Address) => Address,
  most = maxNamedAddresses,
): Address[] => {
  const merged = new Map(known.map((address) => [address.source_ip, address]));
  for (const address of more.toSorted((one, other) => one.first_at.localeCompare(other.first_at))) {
    const same = merged.get(address.source_ip);
    if (same) merged.set(address.source_ip, combine(same, address));
    else if (merged.size < most) merged.set(address.source_ip, address);
  }
  return [...merged.values()];
};

/** Combines two records of an address, and adds up their calls. */
export const addUp = (one: CountedLeakAddress, other: CountedLeakAddress): CountedLeakAddress => ({
  ...span(one, other),
  calls: one.calls + other.calls,
});

/** Returns the time span that covers both records. */
export const span = ({ source_ip, ...one }: LeakAddress, other: LeakAddress): LeakAddress => ({
  source_ip,
  first_at: one.first_at < other.first_at ? one.first_at : other.first_at,
  last_at: one.last_at > other.last_at ? one.last_at : other.last_at,
});
