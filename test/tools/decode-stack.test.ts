import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { sourceMapFile } from "../../infra/build/bundles/assembly-files.ts";
import type { Bundle } from "../../infra/build/bundles/lazy-functions.ts";
import { decodePositions, readableLog } from "../../tools/decode-stack.ts";
import { compileCache } from "../support/compile-cache.ts";
import { bundlesOf } from "../support/template.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

interface Run {
  output: string;
  messages: string;
  exitCode: number | null;
}

/** Runs the command with this text as its standard input. */
const decode = async (words: string[], input: string): Promise<Run> => {
  const child = spawn(process.execPath, ["tools/decode-stack.ts", ...words], { cwd: project });
  child.stdin.end(input);
  const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { output, messages, exitCode: child.exitCode };
};

/** The line of a source file that a decoded stack trace names. */
const lineNamedIn = async (decoded: string, file: string): Promise<string | undefined> => {
  const [, line] = new RegExp(`${RegExp.escape(file)}:(\\d+):\\d+`).exec(decoded) ?? [];
  return (await readFile(`${project}/${file}`, "utf8")).split("\n")[Number(line) - 1];
};

/** The log of a deployed function for a request without headers, which API Gateway would not send. */
const logLineOfFailure = async (): Promise<string> => {
  const { "v1-get-key": bundle } = await bundlesOf();
  const call = `require(${JSON.stringify(bundle)}).handler({ requestContext: { http: {} } }, {})`;
  const environment = {
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    KEYS_TABLE: "keys",
    TOKENS_TABLE: "tokens",
    LIMITS_TABLE: "limits",
    ...compileCache,
  };
  const { stdout } = await promisify(execFile)(process.execPath, ["--eval", call], { env: environment });
  return stdout;
};

describe("npm run decode-stack", () => {
  test("shows a line of the deployed log with the files and lines of the sources", async () => {
    const logLine = await logLineOfFailure();
    expect(logLine).toMatch(/^\{"timestamp":"[^"]+","level":"ERROR".*index\.js:\d+:\d+/);
    const { output, messages, exitCode } = await decode(["v1-get-key"], `2026-11-21T10:15:30.123Z ${logLine}`);

    expect(await lineNamedIn(output, "lambdas/middlewares/accept-json.ts")).toContain("event.headers.accept");
    expect(output).toMatch(/"cause": "TypeError: .*\n +at .*lambdas\/middlewares\/accept-json\.ts:\d+:\d+\)/);
    expect(output).not.toMatch(/asset\.|not in this bundle/);
    expect(messages).toMatch(/^Decoded with v1-get-key, built from .+\.\n$/);
    expect(exitCode).toBe(0);
  });

  test("says that a position does not exist in the bundle, and fails", async () => {
    const { output, messages, exitCode } = await decode(["usage"], "at Fc (/var/task/index.js:99999:1)\n");

    expect(output).toBe("at Fc (/var/task/index.js:99999:1 (not in this bundle))\n");
    expect(messages).toContain("1 of 1 positions do not exist in this bundle: check out the commit that was deployed.");
    expect(exitCode).toBe(1);
  });

  test.each([
    ["an unknown function", "v1-get-keys", /^There is no function v1-get-keys\. The functions are: .*\bv1-get-key,/m],
    ["an input without a position", "usage", /The input has no position in a bundle/],
  ])("refuses %s", async (_, functionName, message) => {
    const { output, messages, exitCode } = await decode([functionName], "nothing of interest\n");

    expect(messages).toMatch(message);
    expect(output).toBe("");
    expect(exitCode).toBe(1);
  });
});

let bundle: Bundle;
let position: string;
beforeAll(async () => {
  const { "v1-get-key": file = "" } = await bundlesOf();
  bundle = {
    code: await readFile(file),
    sourceMap: await readFile(sourceMapFile(inject("assemblyDirectory"), "v1-get-key")),
  };
  const lines = (await readFile(file, "utf8")).split("\n");
  const line = lines.findIndex((text) => text.includes("Something went wrong on our side"));
  position = `${line + 1}:${(lines[line]?.indexOf("Something went wrong on our side") ?? 0) + 1}`;
});

test.each([
  "/var/task/index.js",
  "/home/me/.local/cdk.out/asset.0123/index.js",
  "file:///var/task/index.js",
  "index.js",
])("a position is decoded whatever the folder of the bundle: %s", (file) => {
  const { text, positions, unknown } = decodePositions(`at x (${file}:${position})`, bundle);

  expect(text).toMatch(/^at x \(\S*lambdas\/errors\/catalogue\.ts:\d+:\d+\)$/);
  expect([positions, unknown]).toEqual([1, 0]);
});

test.each([
  ["after the last line", "99999:1"],
  ["after the end of its line", "2:99999999"],
])("a position that does not exist is left unchanged and counted: %s", (_, wrong) => {
  const { text, positions, unknown } = decodePositions(`at index.js:${wrong} and index.js:${position}`, bundle);

  expect(text).toMatch(new RegExp(`^at index\\.js:${wrong} \\(not in this bundle\\) and \\S+catalogue\\.ts:`));
  expect([positions, unknown]).toEqual([2, 1]);
});

test("a line of JSON is printed on several lines, and so are the texts in it", () => {
  expect(readableLog('[admin] {"level":"ERROR","cause":"Error: x\\n    at y"}')).toBe(
    '[admin] {\n  "level": "ERROR",\n  "cause": "Error: x\n    at y"\n}',
  );
});

test("a backslash before an n is not a line break", () => {
  expect(readableLog('{"path":"C:\\\\new"}')).toBe('{\n  "path": "C:\\\\new"\n}');
});

test("other lines are unchanged", () => {
  expect(readableLog("Error: {x}\n    at y\n")).toBe("Error: {x}\n    at y\n");
});
