import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { codeDirectory, serviceOf } from "../fixtures.ts";

const answering = (text: string) => `exports.handler = async () => ${JSON.stringify(text)}`;

// Says that it runs, and then answers once the event's file is there.
const waiting = `const { existsSync, watch } = require("node:fs");
  exports.handler = ({ folder }) => new Promise((resolve) => {
    const look = () => existsSync(folder + "/go") && resolve("old");
    watch(folder, look);
    console.log("waiting");
    look();
  });`;

test("the next invocation runs the new code, with the variables of the function", async () => {
  const service = await serviceOf({ f: answering("old") }, { properties: { Environment: { Variables: { A: "1" } } } });
  expect((await service.invoke("f", {})).payload).toBe('"old"');

  const folder = await codeDirectory({ "index.js": "exports.handler = async () => process.env" });
  service.replaceCode("f", folder);

  expect(JSON.parse((await service.invoke("f", {})).payload)).toMatchObject({ A: "1", LAMBDA_TASK_ROOT: folder });
  expect(service.codeDirectoryOf("f")).toBe(folder);
});

test("a call under way ends in the old code, and a call that waits for a thread gets the new code", async () => {
  const folder = await codeDirectory({});
  const service = await serviceOf({ f: waiting }, { properties: { ReservedConcurrentExecutions: 1 } });
  const underWay = service.invoke("f", { folder });
  await expect.poll(() => service.logged()).toContain("waiting");
  const queued = service.invoke("f", {});
  service.replaceCode("f", await codeDirectory({ "index.js": answering("new") }));

  expect((await queued).payload).toBe('"new"');
  await writeFile(join(folder, "go"), "");
  expect((await underWay).payload).toBe('"old"');
});

test("no call is lost while code is replaced again and again", async () => {
  const service = await serviceOf({ f: answering("0") });
  const folders = await Promise.all(
    Array.from({ length: 10 }, (_, index) => codeDirectory({ "index.js": answering(String(index)) })),
  );
  const calls = folders.flatMap((folder) => {
    service.replaceCode("f", folder);
    return [service.invoke("f", {}), service.invoke("f", {})];
  });

  for (const { failed } of await Promise.all(calls)) expect(failed).toBe(false);
  expect((await service.invoke("f", {})).payload).toBe('"9"');
});

test("code that cannot be loaded fails the calls until it is replaced", async () => {
  const service = await serviceOf({ f: answering("old") });
  service.replaceCode("f", await codeDirectory({ "index.js": "exports.handler = (" }));
  expect(JSON.parse((await service.invoke("f", {})).payload)).toMatchObject({
    errorType: "Runtime.UserCodeSyntaxError",
  });

  service.replaceCode("f", await codeDirectory({ "index.js": answering("new") }));
  expect((await service.invoke("f", {})).payload).toBe('"new"');
});

test("a function or a folder that does not exist is refused, and the code stays", async () => {
  const service = await serviceOf({ f: answering("old") });

  expect(() => service.replaceCode("g", "/")).toThrow("There is no function g. The functions are: f.");
  expect(() => service.replaceCode("f", "/missing")).toThrow("There is no code for function f in /missing.");
  expect((await service.invoke("f", {})).payload).toBe('"old"');
});
