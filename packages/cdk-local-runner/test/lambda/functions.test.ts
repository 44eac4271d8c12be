import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { countThreads, folderOf, sharedService, writeFunctions } from "../support/services.ts";

const broken = {
  "no-handler": "exports.other = async () => 1",
  callback: "exports.handler = (event, context, callback) => callback()",
  "missing-module": "require('zod')",
  "syntax-error": "exports.handler = (",
  "error-while-loading": "throw new RangeError('no table')",
  "not-json": "exports.handler = async () => 1n",
};

const allocating = `exports.handler = async () => {
  const all = [];
  while (all.length < 40) all.push(new Array(1e6).fill(0.5));
  return all.length;
}`;

const service = sharedService(async (directory) => ({
  assembly: await writeFunctions(directory, {
    ...broken,
    env: {
      code: "exports.handler = async () => process.env",
      properties: { Environment: { Variables: { TABLE: "keys" } }, MemorySize: 256 },
    },
    about: "exports.handler = async (event, context) => ({ ...context, left: context.getRemainingTimeInMillis() })",
    thrower: "exports.handler = async () => { throw Object.assign(new Error('too late'), { name: 'token_expired' }) }",
    // Lambda's timeouts have whole seconds only.
    late: {
      code: "exports.handler = ({ wait }) => new Promise((resolve) => { setTimeout(resolve, wait, 'in time') })",
      properties: { Timeout: 0.2 },
    },
    slow: { code: "exports.handler = ({ spin }) => { while (spin); return 'done' }", properties: { Timeout: 0.2 } },
    small: { code: allocating, properties: { Timeout: 20, MemorySize: 128 } },
    large: { code: allocating, properties: { Timeout: 20, MemorySize: 1024 } },
    careless: "exports.handler = () => new Promise(() => { Promise.reject(new Error('unseen')) })",
    busy: `let running = 0;
      exports.handler = async () => {
        running += 1; const seen = running;
        await new Promise(setImmediate);
        running -= 1; return seen;
      }`,
    gated: { code: "", properties: { ReservedConcurrentExecutions: 1 } },
    talker: "exports.handler = async () => { console.log('one\\ntwo'); console.error('three') }",
  }),
}));

const errorOf = async (functionName: string, event: object = {}) => {
  const { failed, payload } = await service().invoke(functionName, event);
  return { failed, ...JSON.parse(payload) };
};

test("a function sees Lambda's and its own environment variables, but none of this process", async () => {
  process.env.SECRET_OF_THE_PARENT = "leaked";
  const variables = JSON.parse((await service().invoke("env", {})).payload);
  delete process.env.SECRET_OF_THE_PARENT;

  expect(variables).toMatchObject({
    TABLE: "keys",
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "env",
    AWS_LAMBDA_FUNCTION_NAME: "env",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "256",
    AWS_ENDPOINT_URL_DYNAMODB: service().dynamodbUrl,
  });
  expect(variables).not.toHaveProperty("SECRET_OF_THE_PARENT");
  expect(variables).not.toHaveProperty("PATH");
  expect(variables).not.toHaveProperty("NODE_ENV");
});

test("a function gets Lambda's context object", async () => {
  const { left, ...context } = JSON.parse((await service().invoke("about", {})).payload);

  expect(context).toMatchObject({
    functionName: "about",
    functionVersion: "$LATEST",
    invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:about",
    memoryLimitInMB: "128",
    logGroupName: "/aws/lambda/about",
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(3000);
});

test("an error from the handler arrives with its name, message and stack trace", async () => {
  const error = await errorOf("thrower");

  expect(error).toMatchObject({ failed: true, errorType: "token_expired", errorMessage: "too late" });
  expect(error.trace.join("\n")).toContain("index.js");
});

test("stops a function that exceeds its timeout, and starts a new one for the next call", async () => {
  const error = await errorOf("slow", { spin: true });

  expect(error).toMatchObject({ failed: true, errorType: "Sandbox.Timedout" });
  expect(error.errorMessage).toMatch(/Task timed out after 0\.20 seconds$/);
  expect((await service().invoke("slow", {})).payload).toBe('"done"');
});

test("ignores a result that arrives just after the timeout, and starts a new thread for the next call", async () => {
  expect((await service().invoke("late", { wait: 0 })).payload).toBe('"in time"');
  const call = errorOf("late", { wait: 100 });
  // This thread sees the timeout first and then the result, because timers run first after this phase of the event loop.
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);

  expect(await call).toMatchObject({ failed: true, errorType: "Sandbox.Timedout" });
  expect((await service().invoke("late", { wait: 0 })).payload).toBe('"in time"');
});

test("a function that takes over ten seconds to load fails one call, and the next call starts a new thread", async () => {
  const gate = await folderOf({});
  const wait = `while (!require("node:fs").existsSync(${JSON.stringify(join(gate, "go"))})) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }`;
  service().replaceCode("gated", await folderOf({ "index.js": `${wait} exports.handler = async () => "loaded"` }));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const calls = [errorOf("gated"), service().invoke("gated", {})] as const;
  vi.advanceTimersByTime(10_000);

  expect(await calls[0]).toMatchObject({ failed: true, errorType: "Sandbox.Timedout" });
  await writeFile(join(gate, "go"), "");
  expect((await calls[1]).payload).toBe('"loaded"');
});

test("a function that exceeds its memory fails with an out-of-memory error, and succeeds with enough memory", async () => {
  expect(await errorOf("small")).toMatchObject({ failed: true, errorType: "Runtime.OutOfMemory" });
  expect((await service().invoke("large", {})).payload).toBe("40");
});

test("an unhandled rejection fails the call, as in Lambda", async () => {
  expect(await errorOf("careless")).toMatchObject({
    failed: true,
    errorType: "Runtime.UnhandledPromiseRejection",
    errorMessage: expect.stringContaining("unseen"),
  });
});

test.each([
  ["a missing handler", "no-handler", "Runtime.HandlerNotFound"],
  ["a handler with a callback", "callback", "Runtime.CallbackHandlerDeprecated"],
  ["a module that the bundle lacks", "missing-module", "Runtime.ImportModuleError"],
  ["a syntax error", "syntax-error", "Runtime.UserCodeSyntaxError"],
  ["an error while loading", "error-while-loading", "RangeError"],
  ["a result that is not JSON", "not-json", "Runtime.MarshalError"],
])("%s makes the call fail with Lambda's error type", async (_, functionName, errorType) => {
  expect(await errorOf(functionName)).toMatchObject({ failed: true, errorType });
});

test("an environment serves one call at a time, and a function has at most four environments", async () => {
  const threads = countThreads();
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => service().invoke("busy", {})));

  expect(outcomes.map(({ payload }) => payload)).toEqual(Array.from({ length: 12 }, () => "1"));
  expect(threads.ofFunction("busy")).toBe(4);
});

test("prints a function's logs under its name, and returns them to the caller", async () => {
  const { log, payload } = await service().invoke("talker", {});

  expect(payload).toBe("null");
  expect(log).toBe("one\ntwo\nthree\n");
  const shown = service().logged().split("\n");
  expect(shown.filter((line) => line.startsWith("[talker]"))).toEqual([
    "[talker] one",
    "[talker] two",
    "[talker] three",
  ]);
});
