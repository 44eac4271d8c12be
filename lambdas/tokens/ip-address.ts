import ipaddr from "ipaddr.js";

/**
 * The canonical text of an IP address: RFC 5952 for IPv6, and `a.b.c.d` for an IPv4 address that is mapped into IPv6.
 * `undefined` for anything that is not one plain address.
 *
 * @example canonicalIp("2001:DB8:0:0::1") // "2001:db8::1"
 */
export const canonicalIp = (text: string): string | undefined => {
  if (text.includes("%")) return undefined;
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return hasLeadingZero(text) ? undefined : text;
  if (!text.includes(":") || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : address.toRFC5952String();
};

/** Why a token cannot be bound to `text`, as the end of a sentence; `undefined` if it can. */
export const whyNotBindable = (text: string): string | undefined => {
  if (text.includes("/")) return "must be one address, not a CIDR range";
  if (text.includes("%")) return "must not have a zone id: a zone means nothing outside its own host";
  if (/^\[.*\](:\d+)?$|^[^:]*\.[^:]*:\d+$/.test(text)) return "must be an address alone, without brackets or a port";
  if (/^[\d.]+$/.test(text) && hasLeadingZero(text)) {
    return "must not have leading zeros: some programs read them as octal numbers";
  }
  const canonical = canonicalIp(text);
  if (canonical === undefined) return "must be an IPv4 or IPv6 address, not a host name or anything else";
  return unusableRanges[ipaddr.parse(canonical).range()];
};

const unusableRanges: Partial<Record<string, string>> = {
  unspecified: "must not be an unspecified address: no client calls from it",
  multicast: "must not be a multicast address: no client calls from it",
  broadcast: "must not be the broadcast address: no client calls from it",
};

const hasLeadingZero = (text: string): boolean => /(^|\.)0\d/.test(text);
