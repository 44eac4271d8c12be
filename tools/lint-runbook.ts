import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { runbookCommands } from "./support/runbook-commands.ts";

/*
 * Checks that the AWS command line, which must be installed, accepts every command of the runbook with its options and values:
 * npx node tools/lint-runbook.ts. It is separate from the tests, because the AWS command line is not an npm package and takes a second
 * for each command.
 */

/** The operation of a command and its options, without their values. */
const shapeOf = (words: string[]): string =>
  [...words.slice(0, 3), ...words.slice(3).filter((word) => word.startsWith("--"))].join(" ");

/** The commands that the AWS command line refuses, with what it says. It sends a request only once the words are right. */
const refusedCommands = async (commands: string[][], folder: string) => {
  const reached = new Set<number>();
  const server = createServer((request, response) => {
    reached.add(Number(request.url?.split("/")[1]));
    // Long enough for the command that waits for a table.
    response.end(JSON.stringify({ Table: { TableStatus: "ACTIVE" } }));
    request.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;

  const refused: string[] = [];
  for (const [index, [, ...words]] of commands.entries()) {
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}/${index}`,
      AWS_ACCESS_KEY_ID: "operator",
      AWS_SECRET_ACCESS_KEY: "operator",
      AWS_REGION: "us-east-1",
      AWS_DEFAULT_REGION: "us-east-1",
      AWS_MAX_ATTEMPTS: "1",
      AWS_PAGER: "",
    };
    // A pipe of the shell, because /dev/stdin cannot be opened if it is a pipe of Node.js.
    const piped = ["-c", 'echo "{}" | aws "$@"', "aws", ...words];
    // The command line cannot know that the response is not AWS's, and may fail because of it.
    const failure = await promisify(execFile)("sh", piped, { env, cwd: folder }).then(
      () => "",
      (error: Error) => error.message,
    );
    if (!reached.has(index)) refused.push(`${shapeOf(["aws", ...words])}: ${failure}`);
  }
  server.closeAllConnections();
  server.close();
  return refused;
};

const { error } = spawnSync("aws", ["--version"]);
if (error) {
  process.stderr.write(`The AWS command line does not start (${error.message}): install it first.\n`);
  process.exitCode = 1;
} else {
  const folder = await mkdtemp(join(tmpdir(), "integration-api-runbook-"));
  try {
    const calls = (await runbookCommands(folder)).filter(([program]) => program === "aws");
    const unique = [...new Map(calls.map((words) => [shapeOf(words), words])).values()];
    const refused = await refusedCommands(unique, folder);
    for (const line of refused) process.stderr.write(`${line}\n`);
    if (refused.length > 0) process.exitCode = 1;
    else process.stdout.write(`The AWS command line accepts ${unique.length} commands of the runbook.\n`);
  } finally {
    await rm(folder, { recursive: true });
  }
}
