import { isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { whyNotBindable } from "../../../../lambdas/admin/tokens/fields.ts";
import { canonicalIp, isCanonicalIp, unknownIp } from "../../../../lambdas/resources/tokens/ip-address.ts";
import { anyText } from "../../../support/any-text.ts";

const octets = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 });
const ipv4 = octets.map((numbers) => numbers.join("."));

/** Eight groups with many zeros, so that there is much to compress. */
const groups = fc.array(fc.oneof(fc.constantFrom(0, 1, 0xffff), fc.integer({ min: 0, max: 0xffff })), {
  minLength: 8,
  maxLength: 8,
});

const dotted = (high: number, low: number): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");

/** Every way to write eight groups: leading zeros, case, any run of zeros compressed, the last two as an IPv4 address. */
const spellingOf = (numbers: number[]) =>
  fc
    .record({
      digits: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 8, maxLength: 8 }),
      upper: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
      endsAsIpv4: fc.boolean(),
      from: fc.integer({ min: 0, max: 7 }),
      length: fc.integer({ min: 0, max: 8 }),
    })
    .map(({ digits, upper, endsAsIpv4, from, length }) => {
      const parts = numbers.map((number, index) => {
        const text = number.toString(16).padStart(digits[index] ?? 1, "0");
        return upper[index] ? text.toUpperCase() : text;
      });
      if (endsAsIpv4) parts.splice(6, 2, dotted(numbers[6] ?? 0, numbers[7] ?? 0));
      const run = Math.min(length, (endsAsIpv4 ? 6 : 8) - from);
      const zeros = run > 0 && numbers.slice(from, from + run).every((number) => number === 0);
      return zeros ? `${parts.slice(0, from).join(":")}::${parts.slice(from + run).join(":")}` : parts.join(":");
    });

/** Node's canonical form, from its URL parser; a mapped IPv4 address is read from the groups. */
const expectedOf = (numbers: number[]): string =>
  numbers.slice(0, 6).join(":") === "0:0:0:0:0:65535"
    ? dotted(numbers[6] ?? 0, numbers[7] ?? 0)
    : new URL(`http://[${numbers.map((number) => number.toString(16)).join(":")}]`).hostname.slice(1, -1);

describe("the canonical form of an IP address", () => {
  test("is the same for all spellings of an IPv6 address, and agrees with Node's URL parser", () => {
    const spelt = groups.chain((numbers) => fc.record({ numbers: fc.constant(numbers), text: spellingOf(numbers) }));
    fc.assert(
      fc.property(spelt, ({ numbers, text }) => {
        expect(isIPv6(text), text).toBe(true);
        expect(canonicalIp(text), text).toBe(expectedOf(numbers));
        expect(canonicalIp(expectedOf(numbers)), text).toBe(expectedOf(numbers));
      }),
      { numRuns: 2_000, examples: [[{ numbers: [0, 0, 0, 0, 0, 0, 0x102, 0x304], text: "::1.2.3.4" }]] },
    );
  });

  test("is the IPv4 address itself, whether mapped into IPv6 or not", () => {
    const prefixes = fc.constantFrom("", "::ffff:", "::FFFF:", "0:0:0:0:0:ffff:", "0000::ffff:");
    fc.assert(fc.property(ipv4, prefixes, (address, prefix) => canonicalIp(prefix + address) === address));
  });

  test("exists only for what Node accepts as an address", () => {
    const almost = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."0123456789abcfFx.:%[]/ "), maxLength: 24 }),
      anyText(),
      fc
        .tuple(fc.oneof(ipv4, groups.chain(spellingOf)), fc.nat(), fc.constantFrom("", "0", ".", ":", "x", " ", "\n"))
        .map(([text, place, inserted]) => {
          const at = place % (text.length + 1);
          return text.slice(0, at) + inserted + text.slice(at + (inserted === "" ? 1 : 0));
        }),
    );
    fc.assert(
      fc.property(
        almost.filter((text) => !isIPv4(text) && !isIPv6(text)),
        (text) => {
          expect(canonicalIp(text), text).toBeUndefined();
        },
      ),
      { numRuns: 2_000, examples: [["::ffff:01.2.3.4"], ["::ffff:0x7f.0.0.1"]] },
    );
  });
});

const reasons: Record<string, [RegExp, string[]]> = {
  "not an address": [
    /^must be an IPv4 or IPv6 address, not a host name or anything else$/,
    [
      ...["", "localhost", "api.example.com", "1.2.3", "1.2.3.4.5", "256.2.3.4", "2130706433", "0x7f.0.0.1"],
      ...["::ffff:0x7f.0.0.1", "１.2.3.4", " 1.2.3.4", "1::2::3"],
    ],
  ],
  "a range": [/^must be one address, not a CIDR range$/, ["10.0.0.0/8", "2001:db8::/32"]],
  "of a zone": [/^must not have a zone id/, ["fe80::1%eth0", "fe80::1%25eth0"]],
  "with a port": [
    /^must be only an address, without brackets or a port$/,
    ["198.51.100.7:443", "example.com:443", "[2001:db8::1]", "[2001:db8::1]:443"],
  ],
  "with leading zeros": [
    /^must not have leading zeros/,
    ["010.0.0.1", "10.0.0.01", "10.0.0.00", "::ffff:010.0.0.1", "::ffff:10.0.0.01", "64:ff9b::10.00.0.1"],
  ],
  unspecified: [/^must not be an unspecified address/, ["0.0.0.0", "::", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0"]],
  multicast: [
    /^must not be a multicast address/,
    ["224.0.0.1", "239.255.255.255", "ff02::1", "FF02:0:0::0:0:1", "::ffff:224.0.0.1"],
  ],
  broadcast: [/^must not be the broadcast address/, ["255.255.255.255", "::ffff:255.255.255.255"]],
};

describe("an address that no token can be bound to is refused with a specific reason:", () => {
  test.for(Object.entries(reasons).flatMap(([what, [reason, texts]]) => texts.map((text) => ({ text, what, reason }))))(
    "$text is $what",
    ({ text, reason }) => {
      expect(whyNotBindable(text)).toMatch(reason);
    },
  );

  test.for([
    ...["198.51.100.7", "10.0.0.1", "127.0.0.1", "1.10.100.0", "::1", "2001:db8::7", "fd00::1", "::ffff:198.51.100.7"],
  ])("but %s is not one", (text) => {
    expect(whyNotBindable(text)).toBeUndefined();
  });
});

test("an address is canonical if it is written in its canonical form, and so is the one of a record without one", () => {
  for (const ip of ["203.0.113.9", "2001:db8::1", unknownIp]) expect(isCanonicalIp(ip)).toBe(true);
  for (const ip of ["", "203.0.113.009", "::ffff:203.0.113.9", "2001:DB8::1"]) expect(isCanonicalIp(ip)).toBe(false);
});
