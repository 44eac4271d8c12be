import { execFileSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { bundleEntry } from "../../infra/build/bundles/bundle.ts";
import { functionsOf } from "../../infra/functions.ts";
import { api } from "../../lambdas/api.ts";
import { decodePositions } from "./decode-positions.ts";
import { readableLog } from "./readable-log.ts";

const usage = `Usage: npm run decode-stack -- <function> [--untrimmed-sdk]

Reads a stack trace or lines of the deployed log from the standard input, and prints them with the files and lines of the
sources. Check out the commit that was deployed first: the bundle is built from it again. --untrimmed-sdk is for a service
that was deployed with -c trimSdk=false.
`;

const fail = (message: string): void => {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
};

/** The sources of the bundle, so that the reader can compare them with what was deployed. */
const describeSources = (): string => {
  const git = (...words: string[]) => execFileSync("git", words, { encoding: "utf8", stdio: "pipe" }).trim();
  try {
    const changes = git("status", "--porcelain") === "" ? "" : ", with uncommitted changes";
    return `commit ${git("rev-parse", "--short", "HEAD")}${changes}`;
  } catch {
    return "the sources in this folder, which is not a Git repository";
  }
};

const decodeInput = async (functionName: string, trimSdk: boolean): Promise<void> => {
  const functions = functionsOf(api);
  const source = functions.find(({ name }) => name === functionName);
  if (!source) {
    const names = functions.map(({ name }) => name).join(", ");
    return fail(`There is no function ${functionName}. The functions are: ${names}.`);
  }
  if (process.stdin.isTTY) process.stderr.write("Paste a stack trace or log lines, then press Enter and Ctrl-D.\n");
  const [input, bundle] = await Promise.all([text(process.stdin), bundleEntry(source, { trimSdk })]);
  const decoded = decodePositions(readableLog(input), bundle);
  if (decoded.positions === 0) return fail("The input has no position in a bundle, such as /var/task/index.js:2:1048.");
  process.stdout.write(`${decoded.text.trimEnd()}\n`);
  process.stderr.write(`Decoded with ${functionName}, built from ${describeSources()}.\n`);
  if (decoded.unknown > 0) {
    fail(
      `${decoded.unknown} of ${decoded.positions} positions do not exist in this bundle: check out the commit that was deployed.`,
    );
  }
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { "untrimmed-sdk": { type: "boolean", default: false } },
});
const [functionName] = positionals;
if (functionName === undefined) fail(usage.trimEnd());
else await decodeInput(functionName, !values["untrimmed-sdk"]);
