import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { helpIfAsked } from "../local/help-if-asked.ts";
import { commandsInSentences, documentBlocks } from "./support/documents.ts";
import { paste } from "./support/paste.ts";

// Separate from the tests, because the AWS command line is not an npm package and takes a second for each command.
helpIfAsked(`Usage: npx node tools/lint-commands.ts

Checks that the AWS command line, which must be installed, accepts every command of the documents with its options and values.
`);

/** The folder in which readers run the commands. */
const project = fileURLToPath(new URL("..", import.meta.url));

/** Returns the operation of a command and its options, without their values. */
const shapeOf = (words: string[]): string =>
  [...words.slice(0, 3), ...words.slice(3).filter((word) => word.startsWith("--"))].join(" ");

/**
 * Returns the AWS command line's error message if it rejects the words. If it accepts them, it tries to connect to an address where
 * nothing responds.
 */
const refusalOf = async (words: string[], folder: string): Promise<string | undefined> => {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    AWS_ENDPOINT_URL: "http://127.0.0.1:1",
    AWS_ACCESS_KEY_ID: "operator",
    AWS_SECRET_ACCESS_KEY: "operator",
    AWS_REGION: "us-east-1",
    AWS_DEFAULT_REGION: "us-east-1",
    AWS_MAX_ATTEMPTS: "1",
    AWS_PAGER: "",
  };
  // The shell creates the pipe, because /dev/stdin cannot be opened if it is a pipe of Node.js.
  const piped = ["-c", 'echo "{}" | "$0" "$@"', ...words];
  const message = await promisify(execFile)("sh", piped, { env, cwd: project }).then(
    () => "It sends no request.",
    (error: Error) => error.message,
  );
  return message.includes("Could not connect to the endpoint URL") ? undefined : `${shapeOf(words)}: ${message}`;
};

const folder = await mkdtemp(join(tmpdir(), "integration-api-commands-"));
try {
  await promisify(execFile)("aws", ["--version"]);
  const blocks = [...documentBlocks().filter(({ language }) => language === "sh"), ...commandsInSentences()];
  const unique = new Map<string, string[]>();
  for (const block of blocks.filter(({ text }) => /\b(?:aws|admin|tokens|output)\b/.test(text))) {
    for (const { words } of (await paste(block)).calls) if (words[0] === "aws") unique.set(shapeOf(words), words);
  }
  const refused: string[] = [];
  for (const words of unique.values())
    refused.push(...[await refusalOf(words, folder)].filter((line) => line !== undefined));
  for (const line of refused) process.stderr.write(`${line}\n`);
  if (refused.length > 0) process.exitCode = 1;
  else process.stdout.write(`The AWS command line accepts ${unique.size} commands of the documents.\n`);
} finally {
  await rm(folder, { recursive: true });
}
