import { BlockList, isIP } from "node:net";
import { issuerLength } from "../token-limits.ts";
import { localIssuer } from "../trust.ts";

/** Creates a list of networks, given as `address/bits`. */
const networks = (...subnets: string[]): BlockList => {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = "", bits] = subnet.split("/");
    list.addSubnet(address, Number(bits), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
};

/** IANA's special-purpose IPv4 addresses, multicast and reserved addresses. */
const specialIpv4 = networks(
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
);

/** All public IPv6 addresses are in this block. IPv4-compatible, mapped and NAT64 addresses are not. */
const globalIpv6 = networks("2000::/3");

/** Parts of that block that are not public: protocol assignments such as Teredo, documentation and 6to4. */
const specialIpv6 = networks("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20");

/** Checks whether an IP address belongs to a single host on the internet. */
export const isPublicAddress = (address: string): boolean => {
  if (address.includes("%")) return false;
  if (isIP(address) === 4) return !specialIpv4.check(address, "ipv4");
  return isIP(address) === 6 && globalIpv6.check(address, "ipv6") && !specialIpv6.check(address, "ipv6");
};

/** Top-level domains that no host on the internet has. */
const privateDomains = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|test|invalid|onion|alt|arpa)$/;

/** Checks whether a URL's host can be on the internet. Names are checked again when they are resolved. */
const isPublicHost = (hostname: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes(".") && !host.endsWith(".") && !privateDomains.test(host);
};

/**
 * Returns why documents cannot be fetched from a URL, as a part of a sentence; `undefined` if they can.
 *
 * @example unfetchable(new URL("http://issuer.example")) // "is not an https address"
 */
export const unfetchable = ({ protocol, username, password, hash, port, hostname }: URL): string | undefined => {
  if (protocol !== "https:") return "is not an https address";
  if (username + password !== "") return "has a password";
  if (hash !== "" || port === "0") return "has a fragment or the port 0";
  return isPublicHost(hostname) ? undefined : "is not the address of a public host";
};

/** Checks whether a string can be the `iss` of a trusted workload. It is compared exactly, so its spelling must be canonical. */
export const isIssuer = (text: string): boolean => {
  if (text === localIssuer) return true;
  if (text.length > issuerLength.max || /[?#]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return unfetchable(url) === undefined && [text, `${text}/`].includes(url.href);
};
