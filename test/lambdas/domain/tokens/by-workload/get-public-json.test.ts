import { createServer, type RequestListener } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { getPublicJson, publicLookup } from "../../../../../lambdas/domain/tokens/by-workload/get-public-json.ts";
import { listen } from "../../../../kit/support/listen.ts";

describe("does not connect to", () => {
  test.for([
    "http://issuer.example/",
    "ftp://issuer.example/",
    "https://name:password@issuer.example/",
    "https://issuer.example:0/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[::ffff:10.0.0.1]/",
    "https://LOCALHOST:8443/",
    "https://issuer.localhost/",
  ])("%s", async (address) => {
    await expect(getPublicJson(address)).rejects.toThrow(/public host|not an https|password|the port 0/);
  });

  const publicAddress = { address: "8.8.8.8", family: 4 };
  test.for([
    [{ address: "127.0.0.1", family: 4 }],
    [publicAddress, { address: "169.254.169.254", family: 4 }],
    [{ address: "2606:4700::1111", family: 6 }, publicAddress, { address: "fd00:ec2::254", family: 6 }],
  ])("a name with the addresses %j", async (addresses) => {
    const error = await new Promise((resolve) => publicLookup(async () => addresses)("issuer.example", {}, resolve));
    expect(error).toMatchObject({ message: expect.stringMatching(/not public/) });
  });

  test("an address other than the one that was checked", async () => {
    const addresses = [publicAddress, { address: "2606:4700::1111", family: 6 }];
    const found = await new Promise((resolve) =>
      publicLookup(async () => addresses)("issuer.example", {}, (_, found) => resolve(found)),
    );
    expect(found).toEqual(addresses);
  });
});

/** Reads a document from the local issuer, which this listener implements. */
const getFrom = async (listener: RequestListener): Promise<unknown> => {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  vi.stubEnv("LOCAL_ISSUER", await listen(server));
  return getPublicJson("https://issuer.localhost/keys");
};

test("reads a document in whatever parts it arrives", async () => {
  const document = await getFrom(async (_, response) => {
    const bytes = Buffer.from('{"name":"ü"}');
    for (const byte of bytes) response.write(Buffer.from([byte]));
    response.end();
  });
  expect(document).toEqual({ name: "ü" });
});

test.for<[string, RequestListener, RegExp]>([
  ["redirects", (_, response) => response.writeHead(302, { location: "/other" }).end("{}"), /responded with 302/],
  ["fails", (_, response) => response.writeHead(500).end("{}"), /responded with 500/],
  ["is large", (_, response) => response.end(`"${"x".repeat(300_000)}"`), /more than 200000/],
  ["is no JSON", (_, response) => response.end("<html>"), /JSON/],
  ["hangs", () => {}, /abort/i],
  ["never ends", (_, response) => void response.write("{"), /abort/i],
  ["breaks off", (_, response) => void response.write("{", () => response.destroy()), /aborted|hang up|ECONNRESET/],
])("rejects a host that %s", async ([, listener, message]) => {
  await expect(getFrom(listener)).rejects.toThrow(message);
});
