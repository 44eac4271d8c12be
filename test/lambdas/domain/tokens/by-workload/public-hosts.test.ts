import { createServer, type RequestListener } from "node:http";
import { afterAll, expect, test, vi } from "vitest";
import { getPublicJson, publicLookup } from "../../../../../lambdas/domain/tokens/by-workload/get-public-json.ts";
import { isIssuer, isPublicAddress } from "../../../../../lambdas/domain/tokens/by-workload/public-hosts.ts";
import { listen } from "../../../../kit/support/listen.ts";
import { words } from "../../../support/words.ts";

test.for(
  words(`8.8.8.8 1.1.1.1 172.15.255.255 172.32.0.1
    2606:4700::1111 2a00:1450:4001::1 2001:4860:4860::8888`),
)("the address %s is public", (address) => expect(isPublicAddress(address)).toBe(true));

test.for([
  ...words(`0.0.0.0 10.0.0.1 100.64.0.1 127.0.0.1 169.254.169.254 172.16.0.1 192.0.0.170 192.0.2.1 192.88.99.1
    192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255`),
  // IPv4 addresses in IPv6: compatible, mapped, translated, 6to4, NAT64 (also with a prefix of its own), Teredo, ISATAP.
  ...words(`::169.254.169.254 ::a9fe:a9fe ::8.8.8.8 ::ffff:8.8.8.8 ::ffff:0:8.8.8.8 2002:a9fe:a9fe:: 2002:808:808::1
    64:ff9b::8.8.8.8 64:ff9b:1::a9fe:a9fe 2001::1 2001:0:4136:e378::1 fe80::5efe:a9fe:a9fe`),
  ...words(`:: ::1 100::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 3fff::1 5f00::1 fc00::1 fd00:ec2::254 fe80::1
    fec0::1 ff02::1 4000::1 issuer.example 8.8.8.8:443 2606:4700::1%eth0`),
  "",
])("the address %j is not public", (address) => expect(isPublicAddress(address)).toBe(false));

test.for(
  words(`https://token.actions.githubusercontent.com https://accounts.google.com/ https://gitlab.example:8443/path
    https://oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLE https://8.8.8.8 https://[2606:4700::1111]
    https://login.microsoftonline.com/8a4925a9-fd8e-4866-b31c-f719fb05dce6/v2.0 https://issuer.localhost`),
)("accepts the issuer %s", (address) => expect(isIssuer(address)).toBe(true));

test.for([
  ...words(`http://issuer.example issuer.example https://Issuer.example https://issuer.example:443
    https://issuer.example:0 https://issuer.example/?x https://issuer.example/? https://issuer.example/#
    https://name@issuer.example https://name:password@issuer.example https://bücher.example
    https://issuer.example/../keys https://localhost https://localhost. https://other.localhost
    https://issuer.localhost:8443 https://issuer.localhost/path https://metadata.google.internal
    https://issuer.internal. https://printer.local https://router.home.arpa https://intranet https://169.254.169.254
    https://2852039166 https://0xa9.0xfe.0xa9.0xfe https://127.0.0.1 https://10.0.0.1 https://[::1]
    https://[::a9fe:a9fe] https://[fd00:ec2::254]`),
  ...[`https://issuer.example/${"x".repeat(500)}`, " https://issuer.example", ""],
])("rejects the issuer %j", (address) => expect(isIssuer(address)).toBe(false));

test.for(
  words(`http://issuer.example/ ftp://issuer.example/ https://name:password@issuer.example/ https://issuer.example:0/
    https://169.254.169.254/latest/meta-data/ https://[::ffff:10.0.0.1]/ https://LOCALHOST:8443/
    https://issuer.localhost/`),
)("does not connect to %s", async (address) => {
  await expect(getPublicJson(address)).rejects.toThrow(/public host|not an https|password|the port 0/);
});

const addressOf = (address: string) => ({ address, family: address.includes(":") ? 6 : 4 });
const lookUp = (...addresses: string[]) =>
  new Promise((resolve) =>
    publicLookup(async () => addresses.map(addressOf))("issuer.example", {}, (error, found) => resolve(error ?? found)),
  );

test.for([["127.0.0.1"], ["8.8.8.8", "169.254.169.254"], ["2606:4700::1111", "8.8.8.8", "fd00:ec2::254"]])(
  "does not connect to a name that also resolves to a non-public address: %j",
  async (addresses) => {
    expect(await lookUp(...addresses)).toMatchObject({ message: expect.stringMatching(/not public/) });
  },
);

test("connects only to the addresses that were checked", async () => {
  const addresses = ["8.8.8.8", "2606:4700::1111"];
  expect(await lookUp(...addresses)).toEqual(addresses.map(addressOf));
});

/** What the host of a local issuer does, by path. */
const hosts: Record<string, [RequestListener, RegExp | object]> = {
  "/parts": [
    (_, response) => {
      for (const byte of Buffer.from('{"name":"ü"}')) response.write(Buffer.from([byte]));
      response.end();
    },
    { name: "ü" },
  ],
  "/redirects": [(_, response) => response.writeHead(302, { location: "/other" }).end("{}"), /responded with 302/],
  "/fails": [(_, response) => response.writeHead(500).end("{}"), /responded with 500/],
  "/is-large": [(_, response) => response.end(`"${"x".repeat(300_000)}"`), /more than 200000/],
  "/is-not-json": [(_, response) => response.end("<html>"), /JSON/],
  "/hangs": [() => {}, /abort/i],
  "/never-ends": [(_, response) => void response.write("{"), /abort/i],
  "/breaks-off": [(_, response) => void response.write("{", () => response.destroy()), /aborted|hang up|ECONNRESET/],
};
const server = createServer((request, response) => hosts[request.url ?? ""]?.[0](request, response));
const url = await listen(server);
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

// The address is read when the module is loaded.
vi.stubEnv("LOCAL_ISSUER", url);
vi.resetModules();
const local = await import("../../../../../lambdas/domain/tokens/by-workload/get-public-json.ts");

test.concurrent.for(Object.entries(hosts))(
  "reads a document in chunks, and rejects a misbehaving host: %s",
  async ([path, [, outcome]]) => {
    // Only these reach the time limit, however slow the machine is.
    const isEndless = ["/hangs", "/never-ends"].includes(path);
    if (!isEndless) vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(new AbortController().signal);
    const reading = local.getPublicJson(`https://issuer.localhost${path}`);
    if (outcome instanceof RegExp) await expect(reading).rejects.toThrow(outcome);
    else expect(await reading).toEqual(outcome);
  },
);
