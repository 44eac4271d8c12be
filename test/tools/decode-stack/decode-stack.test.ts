import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { bundlesOf } from "../../support/bundles.ts";
import { compileCache } from "../../support/compile-cache.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));

interface Run {
  output: string;
  messages: string;
  exitCode: number | null;
}

/** Runs the command with this text as its standard input. */
const decode = async (words: string[], input: string): Promise<Run> => {
  const child = spawn(process.execPath, ["tools/decode-stack/decode-stack.ts", ...words], { cwd: project });
  child.stdin.end(input);
  const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { output, messages, exitCode: child.exitCode };
};

/** The line of a source file that a decoded stack trace names. */
const lineNamedIn = async (decoded: string, file: string): Promise<string | undefined> => {
  const [, line] = new RegExp(`${RegExp.escape(file)}:(\\d+):\\d+`).exec(decoded) ?? [];
  return (await readFile(`${project}/${file}`, "utf8")).split("\n")[Number(line) - 1];
};

/** What a deployed function logs for a request without headers, which API Gateway would not send. */
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
