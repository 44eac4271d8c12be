import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import * as actions from "../../lambdas/admin/actions.ts";
import { command } from "../../local/admin/command.ts";
import { readCommand } from "../../local/admin/read-command.ts";
import { requirePrograms } from "../support/programs.ts";
import { sharedService } from "../support/service.ts";

const project = new URL("../../", import.meta.url);

/** The text of the README and of every guide, by name. */
let guides: Map<string, string>;
beforeAll(async () => {
  const names = (await readdir(new URL("docs/", project))).filter((name) => name.endsWith(".md"));
  const files = ["README.md", "CONTRIBUTING.md", ...names.map((name) => `docs/${name}`)];
  const texts = files.map(async (file) => [file, await readFile(new URL(file, project), "utf8")] as const);
  guides = new Map(await Promise.all(texts));
});

describe("invocations with the AWS command line", () => {
  test("give the payload in the one form that versions 1 and 2 read alike", () => {
    const all = [...guides.values()].join("\n");
    const payloads = [...all.matchAll(/--payload (\S+)/g)].map(([, payload]) => payload);

    expect(payloads.length).toBeGreaterThanOrEqual(4);
    expect(new Set(payloads)).toEqual(new Set(["fileb:///dev/stdin"]));
    expect(all).not.toContain("--cli-binary-format");
  });

  test("never set a region that only version 2 reads", () => {
    for (const [file, text] of guides) {
      for (const [line] of text.matchAll(/^.*export .*\bAWS_REGION=.*$/gm)) {
        expect(line, file).toMatch(/\bAWS_REGION=(\S+) AWS_DEFAULT_REGION=\1(?= |$)/);
      }
    }
  });

  test("work as the README has them, without credentials and without a configuration", async (context) => {
    requirePrograms(context, "aws");
    const [script = ""] =
      /^echo '\{"action".*\n.*aws lambda invoke(?:.*\\\n)*.*$/m.exec(guides.get("README.md") ?? "") ?? [];
    const service = await sharedService();
    const home = await mkdtemp(join(tmpdir(), "integration-api-readme-"));
    try {
      await promisify(execFile)("sh", ["-c", script.replace("http://127.0.0.1:3001", service.invokeUrl)], {
        cwd: home,
        env: { HOME: home, PATH: process.env.PATH },
      });

      expect(script).toContain("http://127.0.0.1:3001");
      expect(JSON.parse(await readFile(join(home, "out.json"), "utf8"))).toMatchObject({
        ip: "198.51.100.7",
        token: expect.stringMatching(/^itk_/),
      });
    } finally {
      await rm(home, { recursive: true });
    }
  });
});

test("every line with the admin command is one that it accepts, and no other form of it is recommended", () => {
  const lines = [...guides].flatMap(([file, text]) =>
    [...text.matchAll(/(?:^|`)node local\/admin\.mjs ([^`|\n<]+)/gm)].map(([, words = ""]) => ({ file, words })),
  );

  expect(lines.length).toBeGreaterThan(5);
  for (const { file, words } of lines) {
    const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${words}`], { encoding: "utf8" });
    expect(() => readCommand(stdout.split("\0").slice(0, -1), actions), `${file}: ${command} ${words}`).not.toThrow();
  }
  for (const [file, text] of guides) expect(text, file).not.toMatch(/npm run (--silent )?admin \w/);
});
