import { isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { whyNotBindable } from "../../../../lambdas/admin/tokens/token-fields.ts";
import { canonicalIp, unknownIp } from "../../../../lambdas/domain/tokens/ip-address.ts";
import { storedIp } from "../../../../lambdas/domain/tokens/stored-ip.ts";
import { anyText } from "../../../kit/support/any-text.ts";

// Leading zeros, case, runs of zeros (RFC 5952: the longest one, the first of equal ones, none of a single group), and IPv4.
test.for([
  ["2001:DB8:0:0::1", "2001:db8::1"],
  ["2001:0db8:0000:0000:0000:0000:0000:0001", "2001:db8::1"],
  ["2001:db8:0:1:0:0:0:1", "2001:db8:0:1::1"],
  ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
  ["0:0:0:0:0:0:0:0", "::"],
  ["::1.2.3.4", "::102:304"],
  ["64:ff9b::192.0.2.1", "64:ff9b::c000:201"],
  ["::ffff:0:1.2.3.4", "::ffff:0:102:304"],
  ["198.51.100.7", "198.51.100.7"],
  ["::ffff:198.51.100.7", "198.51.100.7"],
  ["0:0:0:0:0:FFFF:c633:6407", "198.51.100.7"],
  ["::ffff:0:0", "0.0.0.0"],
  ["1::ffff:102:304", "1::ffff:102:304"],
  ["::ffff:255.255.0.1", "255.255.0.1"],
] as const)("the canonical form of %s is %s, which is canonical itself", ([text, canonical]) => {
  expect(canonicalIp(text)).toBe(canonical);
  expect(canonicalIp(canonical)).toBe(canonical);
});

test("only addresses that Node.js accepts and that have no zone have a canonical form", () => {
  const almost = fc.string({ unit: fc.constantFrom(..."0123456789abcfFx.:%[]/ "), maxLength: 24 });
  fc.assert(
    fc.property(
      fc.oneof(almost, anyText()).filter((text) => !isIPv4(text) && !isIPv6(text)),
      (text) => canonicalIp(text) === undefined,
    ),
    { numRuns: 2_000, examples: [["::ffff:01.2.3.4"], ["::ffff:0x7f.0.0.1"], ["1::2::3"], ["198.51.100.7\n"]] },
  );
  expect(canonicalIp("fe80::1%eth0")).toBeUndefined();
});

test.for<[string, RegExp, string[]]>([
  [
    "anything but an address",
    /^must be an IPv4 or IPv6 address, not a host name or anything else$/,
    [
      ...["", "localhost", "api.example.com", "1.2.3", "1.2.3.4.5", "256.2.3.4", "2130706433", "0x7f.0.0.1"],
      ...["::ffff:0x7f.0.0.1", "１.2.3.4", " 1.2.3.4", "1::2::3"],
    ],
  ],
  ["a range", /^must be one address, not a CIDR range$/, ["10.0.0.0/8", "2001:db8::/32"]],
  ["a zone", /^must not have a zone id/, ["fe80::1%eth0", "fe80::1%25eth0"]],
  [
    "a port or brackets",
    /^must be only an address, without brackets or a port$/,
    ["198.51.100.7:443", "example.com:443", "[2001:db8::1]", "[2001:db8::1]:443"],
  ],
  [
    "leading zeros",
    /^must not have leading zeros/,
    ["010.0.0.1", "10.0.0.01", "10.0.0.00", "::ffff:010.0.0.1", "::ffff:10.0.0.01", "64:ff9b::10.00.0.1"],
  ],
  ["no address", /^must not be an unspecified address/, ["0.0.0.0", "::", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"]],
  [
    "a multicast address",
    /^must not be a multicast address/,
    ["224.0.0.1", "239.255.255.255", "ff02::1", "FF02:0:0::0:0:1", "::ffff:224.0.0.1"],
  ],
  ["broadcast", /^must not be the broadcast address/, ["255.255.255.255", "::ffff:255.255.255.255"]],
])("explains why no token can be bound to %s", ([, reason, texts]) => {
  for (const text of texts) expect(whyNotBindable(text), text).toMatch(reason);
});

test.for("198.51.100.7 10.0.0.1 127.0.0.1 1.10.100.0 ::1 2001:db8::7 fd00::1 ::ffff:198.51.100.7".split(" "))(
  "a token can be bound to %s",
  (text) => {
    expect(whyNotBindable(text)).toBeUndefined();
  },
);

const isStorable = (ip: string) => z.safeParse(storedIp, ip).success;

test("accepts an address in its canonical form, and the placeholder of a record without an address", () => {
  for (const ip of ["203.0.113.9", "2001:db8::1", unknownIp]) expect(isStorable(ip), ip).toBe(true);
  for (const ip of ["", "203.0.113.009", "::ffff:203.0.113.9", "2001:DB8::1"]) expect(isStorable(ip), ip).toBe(false);
});
