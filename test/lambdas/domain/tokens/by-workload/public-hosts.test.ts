import { describe, expect, test } from "vitest";
import { isIssuer, isPublicAddress } from "../../../../../lambdas/domain/tokens/by-workload/public-hosts.ts";

describe("an address is public:", () => {
  test.for([
    "8.8.8.8",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "2001:4860:4860::8888",
  ])("%s", (address) => expect(isPublicAddress(address)).toBe(true));
});

describe("an address is not public:", () => {
  test.for([
    ...["0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.0.0.170", "192.0.2.1"],
    ...[
      "192.88.99.1",
      "192.168.0.1",
      "198.18.0.1",
      "198.51.100.1",
      "203.0.113.1",
      "224.0.0.1",
      "240.0.0.1",
      "255.255.255.255",
    ],
    // IPv4 addresses in IPv6: compatible, mapped, translated, 6to4, NAT64 (also with a prefix of its own), Teredo, ISATAP.
    ...[
      "::169.254.169.254",
      "::a9fe:a9fe",
      "::8.8.8.8",
      "::ffff:8.8.8.8",
      "::ffff:0:8.8.8.8",
      "2002:a9fe:a9fe::",
      "2002:808:808::1",
    ],
    ...["64:ff9b::8.8.8.8", "64:ff9b:1::a9fe:a9fe", "2001::1", "2001:0:4136:e378::1", "fe80::5efe:a9fe:a9fe"],
    ...["::", "::1", "100::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "3fff::1", "5f00::1"],
    ...[
      "fc00::1",
      "fd00:ec2::254",
      "fe80::1",
      "fec0::1",
      "ff02::1",
      "4000::1",
      "issuer.example",
      "",
      "8.8.8.8:443",
      "2606:4700::1%eth0",
    ],
  ])("%s", (address) => expect(isPublicAddress(address)).toBe(false));
});

test.for([
  "https://token.actions.githubusercontent.com",
  "https://accounts.google.com/",
  "https://gitlab.example:8443/path",
  "https://oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLE",
  "https://login.microsoftonline.com/8a4925a9-fd8e-4866-b31c-f719fb05dce6/v2.0",
  "https://8.8.8.8",
  "https://[2606:4700::1111]",
  "https://issuer.localhost",
])("accepts as an issuer: %s", (text) => {
  expect(isIssuer(text)).toBe(true);
});

test.for([
  "http://issuer.example",
  "issuer.example",
  "https://Issuer.example",
  "https://issuer.example:443",
  "https://issuer.example:0",
  "https://issuer.example/?x",
  "https://issuer.example/?",
  "https://issuer.example/#",
  "https://name@issuer.example",
  "https://name:password@issuer.example",
  "https://bücher.example",
  " https://issuer.example",
  "https://issuer.example/../keys",
  "https://localhost",
  "https://localhost.",
  "https://other.localhost",
  "https://issuer.localhost:8443",
  "https://issuer.localhost/path",
  "https://metadata.google.internal",
  "https://issuer.internal.",
  "https://printer.local",
  "https://router.home.arpa",
  "https://intranet",
  "https://169.254.169.254",
  "https://2852039166",
  "https://0xa9.0xfe.0xa9.0xfe",
  "https://127.0.0.1",
  "https://10.0.0.1",
  "https://[::1]",
  "https://[::a9fe:a9fe]",
  "https://[fd00:ec2::254]",
  `https://issuer.example/${"x".repeat(500)}`,
  "",
])("rejects as an issuer: %s", (text) => {
  expect(isIssuer(text)).toBe(false);
});
