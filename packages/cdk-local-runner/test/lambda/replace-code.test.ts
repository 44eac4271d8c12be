import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  countThreads,
  folderOf,
  runningService,
  sharedService,
  temporaryDirectory,
  writeFunctions,
} from "../support/services.ts";

const answering = (text: string) => `exports.handler = async () => ${JSON.stringify(text)}`;

// Logs that it is running, and returns once the file `go` is in the event's folder.
const waiting = `const { existsSync, watch } = require("node:fs");
  exports.handler = ({ folder }) => new Promise((resolve) => {
    const look = () => existsSync(folder + "/go") && resolve("old");
    watch(folder, look);
    console.log("waiting");
    look();
  });`;

const service = sharedService(async (directory) => ({
  assembly: await writeFunctions(directory, {
    variables: { code: answering("old"), properties: { Environment: { Variables: { A: "1" } } } },
    slow: { code: waiting, properties: { ReservedConcurrentExecutions: 1 } },
    often: answering("0"),
    broken: answering("old"),
    kept: answering("old"),
    failing: "throw new Error('old')",
  }),
}));

const threads = countThreads();

const answerOf = async (functionName: string) => JSON.parse((await service().invoke(functionName, {})).payload);

test("runs the new code with the function's variables on the next invocation, and ends the old threads", async () => {
  expect(await answerOf("variables")).toBe("old");

  const folder = await folderOf({ "index.js": "exports.handler = async () => process.env" });
  service().replaceCode("variables", folder);

  expect(await answerOf("variables")).toMatchObject({ A: "1", LAMBDA_TASK_ROOT: folder });
  expect(service().codeDirectoryOf("variables")).toBe(folder);
  await expect.poll(() => threads.ofFunction("variables")).toBe(1);
});

test("finishes a call in progress with the old code, and runs a waiting call with the new code", async () => {
  const folder = await folderOf({});
  const underWay = service().invoke("slow", { folder });
  await expect.poll(() => service().logged()).toContain("[slow] waiting");
  const queued = service().invoke("slow", {});
  service().replaceCode("slow", await folderOf({ "index.js": answering("new") }));

  expect((await queued).payload).toBe('"new"');
  await writeFile(join(folder, "go"), "");
  expect((await underWay).payload).toBe('"old"');
  await expect.poll(() => threads.ofFunction("slow")).toBe(1);
});

test("loses no calls while code is replaced repeatedly", async () => {
  const texts = ["1", "2", "3", "4", "5"];
  const folders = await Promise.all(texts.map((text) => folderOf({ "index.js": answering(text) })));
  const calls = folders.flatMap((folder) => {
    service().replaceCode("often", folder);
    return [service().invoke("often", {}), service().invoke("often", {})];
  });

  for (const { failed } of await Promise.all(calls)) expect(failed).toBe(false);
  expect(await answerOf("often")).toBe("5");
});

test("fails all calls with code that cannot be loaded until it is replaced", async () => {
  service().replaceCode("broken", await folderOf({ "index.js": "exports.handler = (" }));
  expect(await answerOf("broken")).toMatchObject({ errorType: "Runtime.UserCodeSyntaxError" });

  service().replaceCode("broken", await folderOf({ "index.js": answering("new") }));
  expect(await answerOf("broken")).toBe("new");
});

test("completes a call that waits for new code, although the old code could not be loaded", async () => {
  const gate = await folderOf({});
  const wait = `while (!require("node:fs").existsSync(${JSON.stringify(join(gate, "go"))})) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }`;
  const folder = await folderOf({ "index.js": `${wait} ${answering("new")}` });
  const waiting = service().invoke("failing", {});
  service().replaceCode("failing", folder);
  // Both threads are counted from here on, and the old thread ends.
  await new Promise(setImmediate);
  await expect.poll(() => threads.ofFunction("failing")).toBe(1);
  await writeFile(join(gate, "go"), "");

  expect((await waiting).payload).toBe('"new"');
});

test("rejects an unknown function or folder, and keeps the current code", async () => {
  expect(() => service().replaceCode("missing", "/")).toThrow(/^There is no function missing\. The functions are: /);
  expect(() => service().replaceCode("kept", "/missing")).toThrow("There is no code for function kept in /missing.");
  expect(await answerOf("kept")).toBe("old");
});

test("builds code once on the first call, and again after a failure or a reload", async () => {
  const functions = { later: answering("not made"), given: answering("given") };
  const assembly = await writeFunctions(await temporaryDirectory(), functions);
  let count = 0;
  const running = await runningService({
    assembly,
    async makeCode(name) {
      if (name === "given") return undefined;
      count += 1;
      if (count === 1) throw new Error("It does not compile.");
      return folderOf({ "index.js": answering(`made ${count}`) });
    },
  });
  const call = async (name: string) => JSON.parse((await running.invoke(name, {})).payload);

  expect(await call("given")).toBe("given");
  expect(count).toBe(0);
  expect(await call("later")).toMatchObject({ errorMessage: "It does not compile." });
  expect(await Promise.all([call("later"), call("later")])).toEqual(["made 2", "made 2"]);
  await running.reload(assembly);
  expect(await call("later")).toBe("made 3");
});
