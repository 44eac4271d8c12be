// @ts-check
// One execution environment of a function. This is plain JavaScript, because a thread that has to strip types starts 30 ms later
// and takes 24 MB more, and each function has up to four threads.

import { existsSync } from "node:fs";
import { createRequire, registerHooks, setSourceMapsSupport } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { isNativeError } from "node:util/types";
import { parentPort, workerData } from "node:worker_threads";

/**
 * @import { Invocation, ThreadData, ThreadMessage } from "./execution-environment.ts"
 * @typedef {(event: unknown, context: object) => unknown} Handler
 */

/** @type {ThreadData} */
const { definition, sourceMapFile, clock } = workerData;
const { codeDirectory, handler } = definition;

// Only the function's dates follow the run's clock. Timers and timeouts use real time.
const realTime = Date.now;
const ahead = new BigInt64Array(clock);
const now = () => realTime() + Number(Atomics.load(ahead, 0));
Date.now = now;
globalThis.Date = new Proxy(Date, {
  construct: (target, words, newTarget) => Reflect.construct(target, words.length === 0 ? [now()] : words, newTarget),
  apply: (target) => new target(now()).toString(),
});

/** @type {(message: ThreadMessage) => void} */
const send = (message) => parentPort?.postMessage(message);

/** @type {(error: unknown) => string} */
const describe = (error) =>
  isNativeError(error)
    ? JSON.stringify({ errorType: error.name, errorMessage: error.message, trace: (error.stack ?? "").split("\n") })
    : JSON.stringify({ errorType: typeof error, errorMessage: String(error), trace: [] });

/** @type {(type: string, message: string, cause?: unknown) => Error} */
const runtimeError = (type, message, cause) =>
  Object.assign(new Error(message, { cause }), { name: `Runtime.${type}` });

/** @type {(error: unknown) => never} */
const die = (error) => {
  send({ kind: "failed", error: describe(error), fatal: true });
  process.exit(1);
};

// Sent as messages instead of the thread's streams, so that an invocation's lines arrive before its result.
for (const stream of [process.stdout, process.stderr]) {
  stream.write = (/** @type {string | Uint8Array} */ chunk, /** @type {unknown[]} */ ...rest) => {
    send({ kind: "log", text: typeof chunk === "string" ? chunk : Buffer.from(chunk).toString() });
    const done = rest.find((argument) => typeof argument === "function");
    if (done) queueMicrotask(() => done());
    return true;
  };
}
process.on("uncaughtException", die);
process.on("unhandledRejection", (reason) => {
  die(runtimeError("UnhandledPromiseRejection", String(reason), reason));
});

const confineModulesToTheBundle = () => {
  const root = pathToFileURL(join(codeDirectory, "/")).href;
  const requireOfRuntime = createRequire(import.meta.url);
  /** Resolves the AWS SDK of the function or its project, or else of this package. */
  const resolveSdk = (
    /** @type {string} */ specifier,
    /** @type {() => import("node:module").ResolveFnOutput} */ resolve,
  ) => {
    try {
      return resolve();
    } catch {}
    try {
      return { url: pathToFileURL(requireOfRuntime.resolve(specifier)).href, shortCircuit: true };
    } catch (cause) {
      const name = specifier.split("/").slice(0, 2).join("/");
      const message = `Cannot find module '${specifier}'. Lambda provides it: here, run npm install --save-dev ${name}`;
      throw Object.assign(new Error(message, { cause }), { code: "MODULE_NOT_FOUND" });
    }
  };
  const isCommonJs = !existsSync(join(codeDirectory, "package.json"));
  registerHooks({
    // The bundle may be inside a project whose node_modules would hide that the bundle lacks a module. The AWS SDK may be missing
    // from the bundle, because Lambda's runtime includes it.
    resolve(specifier, context, nextResolve) {
      if (!context.parentURL?.startsWith(root)) return nextResolve(specifier, context);
      if (/^@(aws-sdk|smithy)\//.test(specifier)) return resolveSdk(specifier, () => nextResolve(specifier, context));
      const resolved = nextResolve(specifier, context);
      if (!resolved.url.startsWith("file:") || resolved.url.startsWith(root)) return resolved;
      throw Object.assign(new Error(`Cannot find module '${specifier}'`), { code: "MODULE_NOT_FOUND" });
    },
    // Lambda has no package.json above the bundle, so `.js` means CommonJS. The project's package.json must not change this.
    load(url, context, nextLoad) {
      const isBundled = isCommonJs && url.startsWith(root) && url.endsWith(".js");
      return nextLoad(url, isBundled ? { ...context, format: "commonjs" } : context);
    },
  });
};

/**
 * Adds a comment with the source map's address for Node.js and debuggers. The file on disk doesn't have this comment, because the
 * file is exactly what is deployed.
 *
 * @type {(file: string, mapFile: string) => void}
 */
const useSourceMap = (file, mapFile) => {
  setSourceMapsSupport(true);
  // Relative, because Node.js doesn't accept a `file:` URL here.
  const address = relative(dirname(file), mapFile).split(sep).map(encodeURIComponent).join("/");
  const fileUrl = pathToFileURL(file).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== fileUrl) return loaded;
      const text =
        typeof loaded.source === "string"
          ? loaded.source
          : Buffer.from(/** @type {Uint8Array} */ (loaded.source)).toString();
      return { ...loaded, source: `${text}\n//# sourceMappingURL=${address}\n` };
    },
  });
};

/** @type {(path: string) => Promise<Record<string, unknown>>} */
const loadModule = async (path) => {
  try {
    return path.endsWith(".mjs") ? await import(pathToFileURL(path).href) : createRequire(path)(path);
  } catch (error) {
    if (error instanceof SyntaxError) throw runtimeError("UserCodeSyntaxError", String(error), error);
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const isMissing = code === "MODULE_NOT_FOUND" || code === "ERR_MODULE_NOT_FOUND";
    throw isMissing ? runtimeError("ImportModuleError", String(error), error) : error;
  }
};

/** @type {() => Promise<Handler>} */
const loadHandler = async () => {
  confineModulesToTheBundle();
  const [file = "", exportName = ""] = handler.split(".");
  const path = [".js", ".mjs", ".cjs"].map((ending) => join(codeDirectory, file + ending)).find(existsSync);
  if (path === undefined) throw runtimeError("ImportModuleError", `Error: Cannot find module '${file}'`);
  if (sourceMapFile !== undefined) useSourceMap(path, sourceMapFile);
  const found = (await loadModule(path))[exportName];
  if (typeof found !== "function") {
    const problem = found === undefined ? "undefined or not exported" : "not a function";
    throw runtimeError("HandlerNotFound", `${handler} is ${problem}`);
  }
  if (found.length > 2) {
    throw runtimeError("CallbackHandlerDeprecated", "A local function has no callback: return a promise instead.");
  }
  return /** @type {Handler} */ (found);
};

/** @type {(invocation: Invocation) => object} */
const contextOf = ({ requestId, deadline }) => ({
  functionName: definition.name,
  functionVersion: "$LATEST",
  invokedFunctionArn: definition.arn,
  memoryLimitInMB: String(definition.memoryMegabytes),
  awsRequestId: requestId,
  logGroupName: definition.logGroup,
  logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
  callbackWaitsForEmptyEventLoop: true,
  clientContext: undefined,
  identity: undefined,
  getRemainingTimeInMillis: () => Math.max(0, deadline - realTime()),
});

/** @type {(result: unknown) => string} */
const serialise = (result) => {
  try {
    return JSON.stringify(result) ?? "null";
  } catch (error) {
    throw runtimeError("MarshalError", `Unable to stringify response body: ${error}`, error);
  }
};

const handle = await loadHandler().catch(die);

parentPort?.on("message", async (/** @type {Invocation} */ invocation) => {
  try {
    const result = await handle(JSON.parse(invocation.payload), contextOf(invocation));
    send({ kind: "succeeded", payload: serialise(result) });
  } catch (error) {
    send({ kind: "log", text: `ERROR Invoke Error ${describe(error)}\n` });
    send({ kind: "failed", error: describe(error), fatal: false });
  }
});
send({ kind: "ready" });
