// @ts-check
// Makes code caches in a process that has no credentials. Loads each function, sends it the requests of its
// version check, which it rejects, and stores the code that V8 has compiled by then. See code-caches.ts.

import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire, registerHooks } from "node:module";
import { json } from "node:stream/consumers";
import { crc32 } from "node:zlib";

/** @typedef {{ name: string, bundleFolder: string, requests: unknown[] }} CachedFunction */

/** @type {Record<string, [status: number, body: object]>} */
const responses = {
  GetItem: [200, {}],
  Query: [200, { Count: 0, ScannedCount: 0, Items: [] }],
  Scan: [200, { Count: 0, ScannedCount: 0, Items: [] }],
};
/** @type {[status: number, body: object]} */
const refusal = [400, { __type: "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException" }];

// A DynamoDB whose tables are empty.
const database = createServer((request, response) => {
  const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
  const [status, body] = responses[operation] ?? refusal;
  const text = JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0", "x-amz-crc32": crc32(text) }).end(text);
}).listen(0, "127.0.0.1");
await once(database, "listening");
const address = database.address();
for (const service of ["DYNAMODB", "SSM"]) {
  if (typeof address === "object") process.env[`AWS_ENDPOINT_URL_${service}`] = `http://127.0.0.1:${address?.port}`;
}

// The project's package.json must not decide what `.js` means. Lambda has no package.json above the bundle.
registerHooks({
  load: (url, context, nextLoad) =>
    nextLoad(url, url.endsWith("/cached.js") ? { ...context, format: "commonjs" } : context),
});

const context = { getRemainingTimeInMillis: () => 10_000 };
const require = createRequire(import.meta.url);

for (const { name, bundleFolder, requests } of /** @type {CachedFunction[]} */ (await json(process.stdin))) {
  const loader = `${bundleFolder}/cached.js`;
  try {
    const { handler } = require(loader);
    for (const request of requests) await handler(request, context);
    const data = globalThis.codeCache?.script.createCachedData() ?? Buffer.alloc(0);
    const code = readFileSync(`${bundleFolder}/index.js`);
    const label = [process.versions.v8, process.arch, crc32(code), crc32(data)].join(" ").padEnd(64);
    writeFileSync(`${bundleFolder}/index.cache`, Buffer.concat([Buffer.from(label), data]));
  } catch (error) {
    rmSync(loader);
    console.error(`${name} is deployed without a code cache: ${error}`);
  }
}
// The functions keep their connections open.
process.exit();
