import { expect, test } from "vitest";
import { serviceOf } from "../fixtures.ts";

const errorOf = ({ failed, payload }: { failed: boolean; payload: string }) => ({ failed, ...JSON.parse(payload) });

test("a function sees Lambda's variables and its own, and nothing of this process", async () => {
  process.env.SECRET_OF_THE_PARENT = "leaked";
  const service = await serviceOf(
    { env: "exports.handler = async () => process.env" },
    { properties: { Environment: { Variables: { TABLE: "keys" } }, MemorySize: 256 } },
  );
  const variables = JSON.parse((await service.invoke("env", {})).payload);
  delete process.env.SECRET_OF_THE_PARENT;

  expect(variables).toMatchObject({
    TABLE: "keys",
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "env",
    AWS_LAMBDA_FUNCTION_NAME: "env",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "256",
    AWS_ENDPOINT_URL_DYNAMODB: service.dynamodbUrl,
  });
  expect(variables).not.toHaveProperty("SECRET_OF_THE_PARENT");
  expect(variables).not.toHaveProperty("PATH");
  expect(variables).not.toHaveProperty("NODE_ENV");
});

test("a function gets Lambda's context", async () => {
  const service = await serviceOf({
    about: "exports.handler = async (event, context) => ({ ...context, left: context.getRemainingTimeInMillis() })",
  });
  const context = JSON.parse((await service.invoke("about", {})).payload);

  expect(context).toMatchObject({
    functionName: "about",
    functionVersion: "$LATEST",
    invokedFunctionArn: "arn:aws:lambda:us-east-1:000000000000:function:about",
    memoryLimitInMB: "128",
    logGroupName: "/aws/lambda/about",
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(context.left).toBeGreaterThan(2000);
  expect(context.left).toBeLessThanOrEqual(3000);
});

test("an error of the handler arrives with its name, message and trace", async () => {
  const service = await serviceOf({
    thrower: "exports.handler = async () => { throw Object.assign(new Error('too late'), { name: 'token_expired' }) }",
  });
  const error = errorOf(await service.invoke("thrower", {}));

  expect(error).toMatchObject({ failed: true, errorType: "token_expired", errorMessage: "too late" });
  expect(error.trace.join("\n")).toContain("index.js");
});

test("a function that takes too long is stopped, and the next call gets a new one", async () => {
  const service = await serviceOf(
    { slow: "exports.handler = async ({ spin }) => { while (spin); return 'done' }" },
    { properties: { Timeout: 1 } },
  );
  const error = errorOf(await service.invoke("slow", { spin: true }));

  expect(error).toMatchObject({ failed: true, errorType: "Sandbox.Timedout" });
  expect(error.errorMessage).toMatch(/Task timed out after 1\.00 seconds$/);
  expect((await service.invoke("slow", {})).payload).toBe('"done"');
});

test("a function that ends its process fails that call alone", async () => {
  const service = await serviceOf({
    quitter:
      "exports.handler = async ({ quit }) => { console.log('so long'); if (quit) process.exit(3); return 'here' }",
  });
  const outcome = await service.invoke("quitter", { quit: true });

  expect(errorOf(outcome)).toMatchObject({ failed: true, errorType: "Runtime.ExitError" });
  expect(outcome.payload).toContain("exit status 3");
  expect(outcome.log).toContain("so long");
  expect((await service.invoke("quitter", {})).payload).toBe('"here"');
});

test("a function that outgrows its memory fails as out of memory", async () => {
  const service = await serviceOf(
    {
      glutton:
        "exports.handler = async () => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())) }",
    },
    { properties: { Timeout: 20, MemorySize: 128 } },
  );
  expect(errorOf(await service.invoke("glutton", {}))).toMatchObject({
    failed: true,
    errorType: "Runtime.OutOfMemory",
  });
});

test("a rejection that nobody handles fails the call as in Lambda", async () => {
  const service = await serviceOf({
    careless: "exports.handler = () => new Promise(() => { Promise.reject(new Error('unseen')) })",
  });
  const error = errorOf(await service.invoke("careless", {}));

  expect(error).toMatchObject({ failed: true, errorType: "Runtime.UnhandledPromiseRejection" });
  expect(error.errorMessage).toContain("unseen");
});

test.each([
  ["a missing handler", "exports.other = async () => 1", "Runtime.HandlerNotFound"],
  [
    "a handler with a callback",
    "exports.handler = (event, context, callback) => callback()",
    "Runtime.CallbackHandlerDeprecated",
  ],
  ["a module that the bundle lacks", "require('zod')", "Runtime.ImportModuleError"],
  ["a syntax error", "exports.handler = (", "Runtime.UserCodeSyntaxError"],
  ["an error while loading", "throw new RangeError('no table')", "RangeError"],
  ["a result that is not JSON", "exports.handler = async () => 1n", "Runtime.MarshalError"],
])("%s is named", async (_, code, errorType) => {
  const service = await serviceOf({ broken: code });
  expect(errorOf(await service.invoke("broken", {}))).toMatchObject({ failed: true, errorType });
});

test("an environment serves one call at a time, and there are at most four", async () => {
  const service = await serviceOf({
    busy: `let running = 0; const id = Math.random();
      exports.handler = async () => {
        running += 1; const seen = running;
        await new Promise((resolve) => setTimeout(resolve, 50));
        running -= 1; return { seen, id };
      }`,
  });
  const outcomes = await Promise.all(Array.from({ length: 12 }, () => service.invoke("busy", {})));
  const results = outcomes.map(({ payload }) => JSON.parse(payload));

  expect(new Set(results.map(({ seen }) => seen))).toEqual(new Set([1]));
  expect(new Set(results.map(({ id }) => id)).size).toBeLessThanOrEqual(4);
});

test("what a function writes is shown with its name and kept for its caller", async () => {
  const service = await serviceOf({
    talker: "exports.handler = async () => { console.log('one\\ntwo'); console.error('three') }",
  });
  const { log, payload } = await service.invoke("talker", {});

  expect(payload).toBe("null");
  expect(log).toBe("one\ntwo\nthree\n");
  expect(service.logged()).toBe("[talker] one\n[talker] two\n[talker] three\n");
});
