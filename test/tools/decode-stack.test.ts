import { execFile, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { compileCache } from "../support/compile-cache.ts";
import { bundlesOf } from "../support/template.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

/** Runs the command with this text on stdin. */
const decode = async (functionName: string, input: string): Promise<string> => {
  const child = spawn(process.execPath, ["tools/decode-stack.ts", functionName], { cwd: project });
  child.stdin.end(input);
  return (await Promise.all([text(child.stdout), text(child.stderr)])).join("");
};

/** Returns a deployed function's log for a request without headers, which API Gateway would not send. */
const logOfFailure = async (): Promise<string> => {
  const { "v1-get-key": bundle } = await bundlesOf();
  const call = `require(${JSON.stringify(bundle)}).handler({ requestContext: { http: {} } }, { getRemainingTimeInMillis: () => 9000 })`;
  const environment = {
    ...{ AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" },
    ...{ KEYS_TABLE: "keys", TOKENS_TABLE: "tokens", LIMITS_TABLE: "limits", ...compileCache },
  };
  return (await promisify(execFile)(process.execPath, ["--eval", call], { env: environment })).stdout;
};

test("translates a line of the deployed log to source files and lines", async () => {
  const log = await logOfFailure();
  expect(log).toMatch(/^\{"timestamp":"[^"]+","level":"ERROR".*index\.js:\d+:\d+/);
  const decoded = await decode("v1-get-key", `2026-11-21T10:15:30.123Z ${log}`);

  const [, line] =
    /"cause":"TypeError: .*\n +at .*lambdas\/middlewares\/accept-json\.ts:(\d+):\d+\)/.exec(decoded) ?? [];
  const source = await readFile(`${project}/lambdas/middlewares/accept-json.ts`, "utf8");
  expect(source.split("\n")[Number(line) - 1]).toContain("event.headers.accept");
  expect(decoded).not.toContain("not in this bundle");
});

test.each(["99999:1", "2:99999999"])("leaves a position that is not in the bundle unchanged: %s", async (position) => {
  expect(await decode("usage", `at Fc (/var/task/index.js:${position})\n`)).toBe(
    `at Fc (/var/task/index.js:${position} (not in this bundle: is this the commit that was deployed?))\n`,
  );
});

test("rejects an unknown function, and lists the known functions", async () => {
  expect(await decode("v1-get-keys", "")).toMatch(/^Usage: .*The functions are: .*\bv1-get-key,/s);
});
