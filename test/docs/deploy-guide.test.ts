import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { readOptions, tableOptions } from "../../infra/stages/options.ts";
import { concurrencyCaps } from "../../infra/stages/stage.ts";
import { requirePrograms } from "../support/programs.ts";
import { sharedService } from "../support/service.ts";

const docs = new URL("../../docs/", import.meta.url);

let guide: string;
beforeAll(async () => {
  guide = await readFile(new URL("deploy.md", docs), "utf8");
});

/** The commands of a document, without the indentation of the lists that they are in. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indentation = "", commands = ""]) =>
    commands.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  );

/** The options that exist, as the explanation of an unknown one lists them. */
const optionNames = (): string[] => {
  try {
    readOptions({ unknown: "" });
    return [];
  } catch (error) {
    return /The options are: (.+)\.$/.exec(String(error))?.[1]?.split(", ") ?? [];
  }
};

describe("the guide to deployment", () => {
  test("lists every option and no other", () => {
    const rows = guide.split("\n").filter((line) => line.startsWith("| `-c "));
    const cells = rows.map((row) => row.split("|")[1] ?? "").join(" ");
    const listed = [...cells.matchAll(/-c ([\w<>]+)=/g)].map(([, name]) => name);
    const others = optionNames().filter((name) => !Object.hasOwn(tableOptions, name));

    expect(listed).toContain("stage");
    // One row stands for the options of all tables.
    expect(listed.toSorted()).toEqual([...others, "<table>Table"].toSorted());
  });

  test("says which concurrency limit the caps need", () => {
    const reserved = Object.values(concurrencyCaps).reduce((sum, cap) => sum + cap, 0);

    expect(guide).toContain(`It needs a limit of at least ${100 + reserved}, and ${reserved} more for each further`);
  });

  test("makes a first call with commands that work as pasted", async (context) => {
    requirePrograms(context, "aws", "jq", "curl", "bash");
    const signIn = commandsIn(guide).find((part) => part.includes("get-caller-identity")) ?? "";
    const firstCall = commandsIn(guide).find((part) => part.includes("/api/v1/token")) ?? "";
    // Stands in for commands that only AWS can serve.
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
    const folder = await mkdtemp(join(tmpdir(), "integration-api-first-call-"));
    try {
      const { stdout } = await promisify(execFile)(
        "bash",
        ["-euo", "pipefail", "-c", `${standIns}\n${signIn}\n${firstCall}`],
        {
          cwd: folder,
          env: {
            ...process.env,
            BASE_URL: service.baseUrl,
            AWS_ENDPOINT_URL_LAMBDA: service.invokeUrl,
            AWS_ACCESS_KEY_ID: "operator",
            AWS_SECRET_ACCESS_KEY: "operator",
          },
        },
      );

      expect(stdout).toMatch(/\{"token_id":"\w{26}","ip":"127\.0\.0\.1"/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test("no guide goes back to a release by deploying its data stack", async () => {
  const names = (await readdir(docs)).filter((name) => name.endsWith(".md"));
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, docs), "utf8")));
  const ways = texts.flatMap(commandsIn).filter((commands) => commands.includes("git checkout"));

  expect(ways).not.toEqual([]);
  for (const commands of ways) {
    const deployed = [...commands.matchAll(/^.*cdk deploy (.*)$/gm)].map(([, words]) => words);
    expect(deployed).toEqual([expect.stringMatching(/^IntegrationApi --exclusively /)]);
  }
});
