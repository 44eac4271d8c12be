import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command } from "../../local/admin/command.ts";
import { compileCache } from "../support/compile-cache.ts";
import { sharedService, type TestService } from "../support/service.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

let service: TestService;
let port: number;
/** A home folder without any settings. */
let home: string;
beforeAll(async () => {
  service = await sharedService();
  port = Number(new URL(service.invokeUrl).port) - 1;
  home = await mkdtemp(join(tmpdir(), "integration-api-home-"));
});
afterAll(() => rm(home, { recursive: true }));

// Where users find Node.js and npm: without the folder of the project's Node.js 24, which npm puts first for its scripts.
const usersPath = [...(process.env.PATH ?? "").split(delimiter), dirname(process.execPath)]
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

/** Returns the path, preceded by a Node.js that claims to be version 20. */
const pathWithOldNode = async (): Promise<string> => {
  const old = `Object.defineProperty(process.versions, "node", { value: "20.20.2" })`;
  const script = `#!/bin/sh\nexec '${process.execPath}' --import 'data:text/javascript,${old}' "$@"\n`;
  const folder = join(home, "old-node");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "node"), script, { mode: 0o755 });
  return [folder, usersPath].join(delimiter);
};

interface ShellOptions {
  environment?: Record<string, string>;
  folder?: string;
}

const shell = (script: string, { environment = {}, folder = project }: ShellOptions = {}) =>
  new Promise<{ exitCode: number; stdout: string; stderr: string }>((resolve) => {
    const env = { HOME: home, PATH: usersPath, PORT: String(port), ...compileCache, ...environment };
    const child = execFile("sh", ["-c", script], { cwd: folder, env }, (_, stdout, stderr) =>
      resolve({ exitCode: child.exitCode ?? -1, stdout, stderr }),
    );
  });

/** A program that reads JSON from stdin and prints an expression of it. */
const pick = (expression: string) =>
  `node -e 'const answer = JSON.parse(require("node:fs").readFileSync(0, "utf8")); console.log(${expression})'`;

describe("the admin command in a shell, with the user's own Node.js and an empty home", () => {
  test("prints one JSON document on stdout, which another program can read", async () => {
    const comment = "a=b 'c' \"$d\"";
    const piped = `${command} issue ip=198.51.100.7 "comment=$COMMENT" | ${pick("answer.token_id")}`;
    const { stdout, stderr } = await shell(piped, { environment: { COMMENT: comment } });

    expect(stderr).toBe("");
    expect(await service.admin({ action: "get", token_id: stdout.trim() })).toMatchObject({
      comment,
      issued_by: expect.stringMatching(new RegExp(`^invoke:[\\w-]+:${userInfo().username}$`)),
    });
  });

  test("works in any folder, and hides characters in a comment that would change how the rest is shown", async () => {
    const { token_id } = await service.admin({ action: "issue", ip: "198.51.100.7", comment: "abc\u202ecba\u200b" });
    const line = `node '${project}/local/admin.mjs' get token_id=${token_id}`;

    expect((await shell(line, { folder: home })).stdout).toContain(String.raw`"abc\u202ecba\u200b"`);
  });

  test("switches to the project's Node.js if the user's version is too old", async () => {
    const environment = { PATH: await pathWithOldNode() };
    const { stdout, stderr } = await shell(`node -p process.versions.node; ${command} address 'ip=::1'`, {
      environment,
    });

    expect(stderr).toBe("");
    expect(stdout).toBe('20.20.2\n{\n  "ip": "::1",\n  "seen_ip": null\n}\n');
  });

  test("says what to install if packages are missing, with an old or a new Node.js", async () => {
    const folder = join(home, "without-packages");
    await cp(join(project, "local"), join(folder, "local"), { recursive: true });
    const withOld = await shell(`${command} list`, { folder, environment: { PATH: await pathWithOldNode() } });
    const withNew = await shell(`'${process.execPath}' local/admin.mjs list`, { folder });

    expect([withOld, withNew]).toEqual([
      { exitCode: 2, stdout: "", stderr: expect.stringMatching(/^This is Node\.js 20\.20\.2, .* run npm ci, /) },
      { exitCode: 2, stdout: "", stderr: expect.stringMatching(/A package is missing \(.*\): run npm ci, .*\.\n$/) },
    ]);
  });
});

test.each([
  [0, "what was done", `${command} list limit=1`, /^$/],
  [0, "help in place of a field", `${command} issue --help`, /^$/],
  [1, "a refusal", `${command} issue ip=10.0.0.0/8`, /^The ip must .*CIDR.*\n$/],
  [2, "no action", command, /^Which action\?\n\nUsage: node local\/admin\.mjs ACTION/],
])(
  "returns exit code %i for %s, prints nothing else on stdout, and gives instructions on stderr",
  async (code, _, line, message) => {
    const { exitCode, stdout, stderr } = await shell(line);

    expect([exitCode, stdout === ""]).toEqual([code, code !== 0]);
    expect(stderr).toMatch(message);
  },
);
