import { isIPv4, isIPv6 } from "node:net";

/**
 * Returns the canonical form of an IP address: RFC 5952 for IPv6, and `a.b.c.d` for an IPv4 address mapped into IPv6. Returns
 * `undefined` for anything that is not one plain address.
 *
 * @example canonicalIp("2001:DB8:0:0::1") // "2001:db8::1"
 */
export const canonicalIp = (text: string): string | undefined => {
  if (isIPv4(text)) return text;
  if (!isIPv6(text) || text.includes("%")) return undefined;
  // The URL standard serialises an IPv6 host as RFC 5952 does.
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  return mappedIpv4(canonical) ?? canonical;
};

/** Stored until an address is known: the unspecified address, which nobody can call from. */
export const unknownIp = "::";

const mappedIpv4 = (canonical: string): string | undefined => {
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return undefined;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join(".");
};
