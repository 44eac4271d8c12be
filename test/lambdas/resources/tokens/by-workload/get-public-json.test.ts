import { createServer, type RequestListener } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { getPublicJson } from "../../../../../lambdas/resources/tokens/by-workload/get-public-json.ts";
import { listen } from "../../../../../testing/support/listen.ts";

describe("no connection is made to", () => {
  test.for([
    "http://issuer.example/",
    "ftp://issuer.example/",
    "https://name:password@issuer.example/",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0.0.0.0/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.0.1/",
    "https://100.64.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://224.0.0.1/",
    "https://255.255.255.255/",
    "https://[::1]/",
    "https://[::]/",
    "https://[fe80::1]/",
    "https://[fd00:ec2::254]/",
    "https://[::ffff:10.0.0.1]/",
    "https://[64:ff9b::a00:1]/",
    "https://[2002:a00:1::]/",
    // These names have loopback addresses.
    "https://localhost/",
    "https://LOCALHOST:8443/",
    "https://issuer.localhost/",
  ])("%s", async (address) => {
    await expect(getPublicJson(address)).rejects.toThrow(/not a public|not an https|password|ENOTFOUND|EAI_AGAIN/);
  });
});

/** Reads a document of the local issuer, which this listener is. */
const getFrom = async (listener: RequestListener): Promise<unknown> => {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  vi.stubEnv("LOCAL_ISSUER", await listen(server));
  return getPublicJson("https://issuer.localhost/keys");
};

test("a document is read, whatever the parts in which it arrives", async () => {
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
])("a host that %s is refused", async ([, listener, message]) => {
  await expect(getFrom(listener)).rejects.toThrow(message);
});
