import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { helpIfAsked } from "../local/help-if-asked.ts";
import { runbookCommands } from "./support/runbook-commands.ts";

// It is separate from the tests, because the AWS command line is not an npm package and takes a second for each command.
helpIfAsked(`Usage: npx node tools/lint-runbook.ts

Checks that the AWS command line, which must be installed, accepts every command of the runbook with its options and values.
`);

/** The operation of a command and its options, without their values. */
const shapeOf = (words: string[]): string =>
  [...words.slice(0, 3), ...words.slice(3).filter((word) => word.startsWith("--"))].join(" ");

/** What the AWS command line says about words that it refuses. If they are right, it tries to connect, which nothing answers. */
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
  // A pipe of the shell, because /dev/stdin cannot be opened if it is a pipe of Node.js.
  const piped = ["-c", 'echo "{}" | aws "$@"', ...words];
  const message = await promisify(execFile)("sh", piped, { env, cwd: folder }).then(
    () => "It sends no request.",
    (error: Error) => error.message,
  );
  return message.includes("Could not connect to the endpoint URL") ? undefined : `${shapeOf(words)}: ${message}`;
};

const folder = await mkdtemp(join(tmpdir(), "integration-api-runbook-"));
try {
  await promisify(execFile)("aws", ["--version"]);
  const calls = (await runbookCommands(folder)).filter(([program]) => program === "aws");
  const unique = [...new Map(calls.map((words) => [shapeOf(words), words])).values()];
  const refused: string[] = [];
  for (const words of unique) refused.push(...[await refusalOf(words, folder)].filter((line) => line !== undefined));
  for (const line of refused) process.stderr.write(`${line}\n`);
  if (refused.length > 0) process.exitCode = 1;
  else process.stdout.write(`The AWS command line accepts ${unique.length} commands of the runbook.\n`);
} finally {
  await rm(folder, { recursive: true });
}
