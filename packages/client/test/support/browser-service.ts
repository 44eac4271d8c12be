import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { keyOf } from "./scripted-service.ts";

/** What a browser needs: an empty page, the client's modules from a folder, a key with an ETag, and a list that redirects. */
export const startBrowserService = async (modules: string) => {
  const conditions: unknown[] = [];
  const server = createServer(async ({ method, url = "", headers }, response) => {
    if (url === "/") return response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>");
    if (url.startsWith("/client/")) {
      const module = await readFile(join(modules, url.replace("/client/", "")));
      return response.writeHead(200, { "content-type": "text/javascript" }).end(module);
    }
    if (url === "/api/v1/key") return response.writeHead(302, { location: "/" }).end();
    if (!url.startsWith("/api/v1/key/")) return response.writeHead(404).end();

    conditions.push([method, headers["if-none-match"] ?? headers["if-match"]]);
    const answer = { "content-type": "application/json", "cache-control": "no-cache", etag: '"a"' };
    if (method === "DELETE") return response.writeHead(204).end();
    if (headers["if-none-match"] === '"a"') return response.writeHead(304, answer).end();
    response.writeHead(200, answer).end(JSON.stringify(keyOf("1")));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** The method and the condition of each call for the key. */
    conditions,
    close: () => void server.close(),
  };
};
