import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { schemas } from "../src/database/engine/parameters.ts";
import { sampleAssembly } from "./sample-app/sample-stack.ts";
import { temporaryDirectory } from "./support/services.ts";

const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");

test("the README lists the supported operations of DynamoDB", () => {
  for (const operation of Object.keys(schemas)) expect(readme).toContain(`\`${operation}\``);
});

test("the example in the README runs an assembly, and Ctrl-C stops it", async () => {
  const [, example = ""] = /```js\n(.+?)```/s.exec(readme) ?? [];
  const folder = await temporaryDirectory();
  await cp(await sampleAssembly(), join(folder, "cdk.out"), { recursive: true });
  await mkdir(join(folder, "node_modules"));
  await symlink(fileURLToPath(new URL("..", import.meta.url)), join(folder, "node_modules/cdk-local-runner"));
  await writeFile(join(folder, "run.mjs"), example.replace("port: 3000", "port: 0"));
  const child = spawn(process.execPath, ["run.mjs"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close");
  let output = "";
  for await (const chunk of child.stdout.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (output.includes("\n")) break;
  }

  const [, baseUrl = ""] = /^API: (\S+)\n$/.exec(output) ?? [];
  expect(await (await fetch(`${baseUrl}/notes`)).json()).toEqual({});
  child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
});
