// @ts-check
// The handler's module of a function that is deployed with a code cache. It runs index.js with the cache, or without it if the cache
// is damaged or V8 rejects it. Plain CommonJS, because Lambda loads it as it is. See docs/decisions/fast-functions.md.

// Lambda starts Node.js with --expose-gc, and V8 rejects each cache that was made under other flags, also those inside Node.js with
// its own modules. At this point, the flag has no effect any more: global.gc exists already.
require("node:v8").setFlagsFromString("--no-expose-gc");
const { existsSync, readFileSync } = require("node:fs");
const { Script } = require("node:vm");
const { crc32 } = require("node:zlib");

const filename = `${__dirname}/index.js`;
const cacheFile = `${__dirname}/index.cache`;
const code = readFileSync(filename);
const cache = existsSync(cacheFile) ? readFileSync(cacheFile) : Buffer.alloc(0);
const cachedData = cache.subarray(64);
// Of the code, V8 compares only the length, and it runs a damaged cache.
const label = [process.versions.v8, process.arch, crc32(code), crc32(cachedData)].join(" ").padEnd(64);
const isIntact = cache.latin1Slice(0, 64) === label;

const opening = "(function(exports,require,module,__filename,__dirname){";
// Stack traces have the same positions as without this wrapper. Lambda's folder is given as a constant, because the cache contains it.
const options = { filename: "/var/task/index.js", columnOffset: -opening.length };
const script = new Script(`${opening}${code}\n})`, isIntact ? { ...options, cachedData } : options);
globalThis.codeCache = { state: isIntact && !script.cachedDataRejected ? "accepted" : "rejected", script };
script.runInThisContext().call(exports, exports, require, module, filename, __dirname);
