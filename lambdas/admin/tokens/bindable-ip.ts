import ipaddr from "ipaddr.js";
import { canonicalIp } from "../../resources/tokens/ip-address.ts";

const maxCharacters = 60;
const notAnAddress = "must be an IPv4 or IPv6 address, not a host name or anything else";

/** Why a token cannot be bound to `text`, as the end of a sentence; `undefined` if it can be. */
export const whyNotBindable = (text: string): string | undefined => {
  if (text.length > maxCharacters) return notAnAddress;
  if (text.includes("/")) return "must be one address, not a CIDR range";
  if (text.includes("%")) return "must not have a zone id, which means nothing outside its own host";
  if (/^\[.*\](:\d+)?$|^[^:]*\.[^:]*:\d+$/.test(text)) return "must be only an address, without brackets or a port";
  if (/(^|[:.])0\d+\.|\.0\d+$/.test(text)) {
    return "must not have leading zeros: some programs read them as octal numbers";
  }
  const canonical = canonicalIp(text);
  if (canonical === undefined) return notAnAddress;
  return unusableRanges[ipaddr.parse(canonical).range()];
};

const unusableRanges: Partial<Record<string, string>> = {
  unspecified: "must not be an unspecified address: no client calls from it",
  multicast: "must not be a multicast address: no client calls from it",
  broadcast: "must not be the broadcast address: no client calls from it",
};
