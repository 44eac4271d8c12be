import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runbookCommands } from "../../tools/support/runbook-commands.ts";

// The effects of the commands are tested in runbook.test.ts; tools/lint-runbook.ts checks them with the AWS command line.

let folder: string;
let commands: string[][];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "integration-api-runbook-"));
  commands = await runbookCommands(folder);
});
afterAll(() => rm(folder, { recursive: true }));

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

/** These commands need no option. All others work on something that an option names. */
const withoutTarget = [
  "backup list-copy-jobs",
  "lambda get-account-settings",
  "lambda list-functions",
  "sts get-caller-identity",
];

test("each AWS command names what it works on", () => {
  const namesNothing = commands.filter(
    ([program, ...words]) =>
      program === "aws" &&
      words.filter((word) => word.startsWith("--") && !["--query", "--output", "--region"].includes(word)).length === 0,
  );
  const names = namesNothing.map(([, service, operation]) => `${service} ${operation}`);

  expect(names.filter((name) => !withoutTarget.includes(name))).toEqual([]);
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
