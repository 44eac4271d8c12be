import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requirePrograms } from "../support/programs.ts";

/*
 * The runbook as a whole, without AWS: a shell runs all of its commands with programs that only take notes, and the AWS
 * command line checks the words that it would have been given. What the commands do is in runbook.test.ts.
 */

const runbookFile = new URL("../../docs/runbook.md", import.meta.url);

/** Takes a note of its words, and prints what later commands of the runbook need. */
const noteTaker = (notes: string) => `#!${process.execPath}
const { appendFileSync, writeFileSync } = require("node:fs");
const words = process.argv.slice(2);
appendFileSync(${JSON.stringify(notes)}, JSON.stringify([require("node:path").basename(__filename), ...words]) + "\\n");
const tokens = ["active", "revoked"].map((state) => ({ token_id: "01J", ip: "198.51.100.7", state, token: "itk_" }));
if (words[1] === "invoke") writeFileSync(words.at(-1), JSON.stringify({ tokens, leaks: [], refusals: [] }));
process.stdout.write(words[1] === "describe-restore-job" ? "COMPLETED" : "value");
`;

let folder: string;
/** The commands of the runbook in order, each as its words. */
let commands: string[][];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-runbook-"));
  const notes = join(folder, "notes");
  for (const program of ["aws", "npm", "npx", "git"]) {
    await writeFile(join(folder, program), noteTaker(notes), { mode: 0o755 });
  }
  const runbook = await readFile(runbookFile, "utf8");
  const blocks = [...runbook.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = ""]) => text);
  const inSentences = [...runbook.matchAll(/`((?:aws|npm run|npx) [^`]+)`/g)].map(([, text = ""]) => text);
  const inShell = inSentences.filter((text) => text.split(" ").length > 2).map((text) => text.replaceAll("\n", " "));
  await promisify(execFile)("bash", ["-euo", "pipefail", "-c", [...blocks, ...inShell].join("\n")], {
    cwd: folder,
    env: { PATH: [folder, process.env.PATH].join(delimiter) },
  });
  const lines = (await readFile(notes, "utf8")).trimEnd().split("\n");
  commands = lines.map((line): string[] => JSON.parse(line));
});
afterAll(() => rm(folder, { recursive: true }));

/** The operation of a command and its options, without their values. */
const shapeOf = (words: string[]): string =>
  [...words.slice(0, 3), ...words.slice(3).filter((word) => word.startsWith("--"))].join(" ");

test("the shell accepts all commands of the runbook one after the other", () => {
  const operations = commands
    .filter(([program]) => program === "aws")
    .map(([, ...words]) => words.slice(0, 2).join(" "));

  expect(operations).toEqual(
    expect.arrayContaining([
      "cloudformation describe-stacks",
      "lambda invoke",
      "dynamodb restore-table-to-point-in-time",
      "dynamodb restore-table-from-backup",
      "backup create-backup-plan",
      "backup start-restore-job",
      "backup describe-restore-job",
    ]),
  );
});

test("the commands of this project that the runbook uses have these options", async () => {
  const own = commands.filter(([program, , name]) => program === "npm" && ["copy-table", "users"].includes(name ?? ""));
  const project = new URL("../..", import.meta.url);

  expect(own.length).toBeGreaterThan(8);
  for (const [, , name, , ...words] of own) {
    const source = await readFile(new URL(`tools/recovery/${name}.ts`, project), "utf8");
    for (const word of words.filter((one) => one.startsWith("--"))) expect(source).toContain(word);
  }
});

test("a recovery point of AWS Backup is restored by AWS Backup, into a table with another name", () => {
  const [, ...words] = commands.find(([, , operation]) => operation === "start-restore-job") ?? [];

  expect(words).toEqual(
    expect.arrayContaining(["--recovery-point-arn", "--iam-role-arn", "--resource-type", "DynamoDB"]),
  );
  expect(words[words.indexOf("--metadata") + 1]).toBe("targetTableName=restored-keys,encryptionType=Default");
  const fromBackup = commands.filter(([, , operation]) => operation === "restore-table-from-backup").flat();
  expect(fromBackup.join(" ")).not.toContain("arn:aws:backup");
});

test("the AWS command line accepts every command with its options and values", {
  timeout: 240_000,
}, async (context) => {
  requirePrograms(context, "aws");
  const reached = new Set<number>();
  const server = createServer((request, response) => {
    reached.add(Number(request.url?.split("/")[1]));
    // Enough for the command that waits for a table.
    response.end(JSON.stringify({ Table: { TableStatus: "ACTIVE" } }));
    request.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;

  const isVersion1 = /aws-cli\/1\./.test(spawnSync("aws", ["--version"], { encoding: "utf8" }).stdout);
  // Starting the command line takes a second, so it checks each operation once with the same options.
  const calls = commands.filter(([program]) => program === "aws");
  const unique = [...new Map(calls.map((words) => [shapeOf(words), words]))];
  const refused: string[] = [];
  const remaining = unique.entries();
  const check = async () => {
    for (const [index, [shape, [, ...words]]] of remaining) {
      const binary = words.indexOf("--cli-binary-format");
      // Version 1 does not know this option.
      const known = isVersion1 && binary >= 0 ? words.toSpliced(binary, 2) : words;
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
      // It sends a request only once the words are right. It cannot know that the answer is not AWS's.
      const failure = await promisify(execFile)("aws", known, { env, cwd: folder }).then(
        () => "",
        (error: Error) => error.message,
      );
      if (!reached.has(index)) refused.push(`${shape}: ${failure}`);
    }
  };
  await Promise.all([check(), check(), check()]);
  server.closeAllConnections();
  server.close();

  expect(refused).toEqual([]);
  expect(reached.size).toBe(unique.length);
});
