import { execFileSync } from "node:child_process";
import { SourceMap, type SourceMapPayload } from "node:module";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { bundleEntry } from "../infra/build/bundles/bundle.ts";
import type { Bundle } from "../infra/build/bundles/lazy-functions.ts";

import { functionsOf } from "../infra/functions.ts";
import { api } from "../lambdas/api.ts";

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

interface Decoded {
  text: string;
  /** The number of positions in the text. */
  positions: number;
  /** The number of them that do not exist in the bundle. */
  unknown: number;
}

/** Replaces every position in a function's `index.js` with the file and line in the sources. */
export const decodePositions = (text: string, { code, sourceMap }: Bundle): Decoded => {
  const payload: SourceMapPayload = JSON.parse(new TextDecoder().decode(sourceMap));
  const map = new SourceMap(payload);
  const lines = new TextDecoder().decode(code).split("\n");
  const decoded: Decoded = { text, positions: 0, unknown: 0 };

  decoded.text = text.replaceAll(/[^\s"'()]*\bindex\.js:(\d+):(\d+)/g, (position, lineText, columnText) => {
    decoded.positions += 1;
    const [line, column] = [Number(lineText), Number(columnText)];
    const origin = map.findOrigin(line, column);
    // For a position after the end of a line, the map would return the last one on the line.
    if (column <= (lines[line - 1]?.length ?? 0) && "fileName" in origin) {
      return `${origin.fileName}:${origin.lineNumber}:${origin.columnNumber}`;
    }
    decoded.unknown += 1;
    return `${position} (not in this bundle)`;
  });
  return decoded;
};

/** Formats a log for people: JSON is printed on several lines, and stack traces keep their line breaks. */
export const readableLog = (text: string): string => text.split("\n").map(readableLine).join("\n");

/** A line may have something before its JSON, such as the time or the name of the function. */
const readableLine = (line: string): string => {
  const start = line.indexOf("{");
  const fields = start < 0 ? undefined : parseJson(line.slice(start));
  if (fields === undefined) return line;
  // The line breaks within strings, but not a backslash that happens to precede an "n".
  return line.slice(0, start) + JSON.stringify(fields, undefined, 2).replaceAll(/(?<!\\)((?:\\\\)*)\\n/g, "$1\n");
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

if (import.meta.main) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { "untrimmed-sdk": { type: "boolean", default: false } },
  });
  const [functionName] = positionals;
  if (functionName === undefined) fail(usage.trimEnd());
  else await decodeInput(functionName, !values["untrimmed-sdk"]);
}
