import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { apiResources, functionResources, writeAssembly } from "./support/assemblies.ts";
import { temporaryDirectory } from "./support/services.ts";

const command = fileURLToPath(new URL("../src/cli.ts", import.meta.url));

const hello = functionResources("hello", {
  properties: {
    Environment: { Variables: { QUEUE: { Ref: "Queue" } } },
    VpcConfig: { SubnetIds: [{ Ref: "Subnet" }] },
  },
});

const resources = {
  ...hello,
  ...apiResources({ "GET /hello": "hello" }),
  Queue: { Type: "AWS::SQS::Queue", Metadata: { "aws:cdk:path": "Test/queue/Resource" } },
  Other: { Type: "AWS::SQS::Queue" },
  Subnet: { Type: "AWS::EC2::Subnet" },
};

const code = { hello: { "index.js": "exports.handler = async () => process.env.QUEUE" } };

const start = async (...words: string[]): Promise<ChildProcess & { cwd: string; output: () => string }> => {
  const cwd = await temporaryDirectory();
  await writeAssembly(cwd, { resources, code });
  const child = spawn(process.execPath, [command, ...words], { cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return Object.assign(child, { cwd, output: () => output });
};

test("the command lists everything that cannot run, and starts nothing", async () => {
  const child = await start("--port", "0");

  expect(await once(child, "close")).toEqual([1, null]);
  expect(child.output().split("\n").filter(Boolean)).toEqual([
    "3 things cannot run locally:",
    "- Resource type AWS::SQS::Queue is not supported: Queue of stack Test (Test/queue/Resource), Other of stack Test.",
    "- Resource type AWS::EC2::Subnet is not supported: Subnet of stack Test.",
    "- hello (AWS::Lambda::Function) of stack Test (Test/hello/Resource): its property VpcConfig is not supported.",
  ]);
});

test("the command lists what it ignores, runs the rest, and stops on Ctrl-C", async () => {
  const child = await start(
    "cdk.out",
    "--port=0",
    "--ignore",
    "Test/queue,Other,AWS::EC2::*",
    "--ignore",
    "hello.VpcConfig",
  );
  await expect.poll(child.output).toContain("Ctrl-C");

  expect(child.output()).toMatch(
    /Ignored\n +VpcConfig of hello \(AWS::Lambda::Function\)\n +Queue \(AWS::SQS::Queue\)\n +Other \(AWS::SQS::Queue\)\n +Subnet \(AWS::EC2::Subnet\)\n/,
  );
  const [, baseUrl] = /API +(\S+)/.exec(child.output()) ?? [];
  expect(await (await fetch(`${baseUrl}/hello`)).text()).toBe("Queue");
  child.kill("SIGINT");
  expect(await once(child, "close")).toEqual([0, null]);
});

test("the command reloads an assembly that was deleted and synthesised again, and keeps running if the new one cannot run", async () => {
  const child = await start("--port=0", "--watch", "--ignore", "Queue,Other,Subnet,hello.VpcConfig");
  await expect.poll(child.output).toContain("Ctrl-C");
  const [, baseUrl] = /API +(\S+)/.exec(child.output()) ?? [];
  const answer = async (path: string) => (await fetch(`${baseUrl}${path}`)).status;

  for (const path of ["/bye", "/again"]) {
    await rm(join(child.cwd, "cdk.out"), { recursive: true });
    await writeAssembly(child.cwd, {
      resources: { ...resources, ...apiResources({ [`GET ${path}`]: "hello" }) },
      code,
    });
    await expect.poll(() => answer(path)).toBe(200);
  }
  await writeAssembly(child.cwd, { resources: { ...resources, Topic: { Type: "AWS::IoT::Thing" } }, code });
  await expect.poll(child.output).toContain("The service continues as it was.");
  expect(await answer("/again")).toBe(200);
});
