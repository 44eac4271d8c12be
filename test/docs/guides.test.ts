import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, type TestContext, test } from "vitest";
import { generalOptions, guardedOptions } from "../../infra/stages/general-options.ts";
import { readOptions } from "../../infra/stages/options.ts";
import * as actions from "../../lambdas/admin/actions.ts";
import { command } from "../../local/admin/command.ts";
import { readCommand } from "../../local/admin/read-command.ts";
import { documentBlocks } from "../../tools/support/documents.ts";
import { requirePrograms } from "../support/programs.ts";
import { sharedService } from "../support/service.ts";

const project = new URL("../../", import.meta.url);
const names = (await readdir(new URL("docs/", project))).filter((name) => name.endsWith(".md"));
/** The README and every guide, by name. */
const guides = new Map(
  await Promise.all(
    ["README.md", "CONTRIBUTING.md", ...names.map((name) => `docs/${name}`)].map(
      async (file) => [file, await readFile(new URL(file, project), "utf8")] as const,
    ),
  ),
);
const textOf = (file: string): string => guides.get(file) ?? "";

test("no document contains a command that version 1 or 2 of the AWS command line misreads", () => {
  const payload = /--payload (?!fileb:\/\/\/dev\/stdin )|--cli-binary-format/;
  const region = /export [^\n]*\bAWS_REGION=(\S+)(?!\S)(?! AWS_DEFAULT_REGION=\1\s)/;
  for (const [file, text] of guides) {
    expect(text, file).not.toMatch(payload);
    expect(text, file).not.toMatch(region);
  }
});

test("every line with the admin command is valid", () => {
  const lines = [...guides].flatMap(([file, text]) =>
    [...text.matchAll(/(?:^|`)node local\/admin\.mjs ([^`|\n<]+)/gm)].map(([, words = ""]) => ({ file, words })),
  );

  expect(lines.length).toBeGreaterThan(5);
  for (const { file, words } of lines) {
    const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${words}`], { encoding: "utf8" });
    expect(() => readCommand(stdout.split("\0").slice(0, -1), actions), `${file}: ${command} ${words}`).not.toThrow();
  }
});

test("the deployment guide lists all options, and marks the guarded ones", () => {
  const [, table = ""] = textOf("docs/deploy.md").split("\n| Option |");
  const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell).join(" ");
  const listed = [...cells.matchAll(/`([\w<>]+)`/g)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual([...Object.keys(generalOptions), "<table>Table"].toSorted());
  expect(() => readOptions({ unknown: "" }, ["notes"])).toThrow(
    `The options are: ${[...Object.keys(generalOptions), "notesTable"].join(", ")}.`,
  );

  const marked = [...cells.matchAll(/`([\w<>]+)` †/g)].map(([, name]) => name);
  expect(marked.toSorted()).toEqual([...guardedOptions, "<table>Table"].toSorted());
});

/** Runs commands in an empty folder with only these variables. Returns their output, and the file that they write. */
const runAlone = async (context: TestContext, script: string, file: string, variables = {}) => {
  requirePrograms(context, "aws", "jq", "curl", "bash");
  const folder = await mkdtemp(join(tmpdir(), "integration-api-guides-"));
  try {
    const env = { HOME: folder, PATH: process.env.PATH, ...variables };
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env });
    return { stdout, written: JSON.parse(await readFile(join(folder, file), "utf8")) };
  } finally {
    await rm(folder, { recursive: true });
  }
};

test("the README's invocation works without credentials or configuration", async (context) => {
  const [script = ""] = /^echo '\{"action".*\n.*aws lambda invoke(?:.*\\\n)*.*$/m.exec(textOf("README.md")) ?? [];
  const service = await sharedService();
  const { written } = await runAlone(context, script.replace("http://127.0.0.1:3001", service.invokeUrl), "out.json");

  expect(script).toContain("http://127.0.0.1:3001");
  expect(written).toMatchObject({ ip: "198.51.100.7", token: expect.stringMatching(/^itk_/) });
});

test("the deployment guide's commands for a first call work as pasted", async (context) => {
  const blocks = documentBlocks().filter(
    ({ document, language }) => document === "docs/deploy.md" && language === "sh",
  );
  const commands = ["get-caller-identity", "/api/v1/token"].map(
    (words) => blocks.find(({ text }) => text.includes(words))?.text,
  );
  // Replaces commands that only AWS can serve.
  const standIns = `
    aws() {
      case "$*" in
        cloudformation*AdminFunctionName*) echo admin:live ;;
        cloudformation*BaseUrl*) echo "$BASE_URL" ;;
        sts*) ;;
        *) command aws "$@" ;;
      esac
    }
    curl() { case "$*" in *checkip*) echo 127.0.0.1 ;; *) command curl "$@" ;; esac; }
  `;
  const service = await sharedService();
  const { stdout } = await runAlone(context, [standIns, ...commands].join("\n"), "token.json", {
    BASE_URL: service.baseUrl,
    AWS_ENDPOINT_URL_LAMBDA: service.invokeUrl,
    AWS_ACCESS_KEY_ID: "operator",
    AWS_SECRET_ACCESS_KEY: "operator",
  });

  expect(stdout).toMatch(/\{"token_id":"\w{26}","ip":"127\.0\.0\.1"/);
});
