import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command } from "../../local/admin/command.ts";
import { freePort } from "../../tools/support/free-port.ts";
import { compileCache } from "../support/compile-cache.ts";
import { sharedService, type TestService } from "../support/service.ts";

const project = fileURLToPath(new URL("../..", import.meta.url));

let service: TestService;
let port: number;
/** A home without any settings. */
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

/** The path with a Node.js in front that takes itself for version 20. */
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

/** A program that reads JSON from its stdin and prints an expression of it. */
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

  test("shows no character of a token's comment that changes how the rest is shown", async () => {
    const { token_id } = await service.admin({ action: "issue", ip: "198.51.100.7", comment: "abc\u202ecba\u200b" });
    const { stdout, exitCode } = await shell(`${command} get token_id=${token_id}`);

    expect(stdout).not.toMatch(/[\u200b\u202e]/);
    expect(stdout).toContain(String.raw`"abc\u202ecba\u200b"`);
    expect(exitCode).toBe(0);
  });

  test("works in any folder", async () => {
    const { stdout } = await shell(`node '${project}/local/admin.mjs' address ip=::ffff:c633:6407`, { folder: home });

    expect(JSON.parse(stdout)).toEqual({ ip: "198.51.100.7", seen_ip: null });
  });

  test("hands over to the project's Node.js if the user's is too old", async () => {
    const environment = { PATH: await pathWithOldNode() };
    const { stdout, stderr } = await shell(`node -p process.versions.node; ${command} address 'ip=::1'`, {
      environment,
    });
    const refused = await shell(`${command} issue`, { environment });

    expect(stderr).toBe("");
    expect(stdout).toBe('20.20.2\n{\n  "ip": "::1",\n  "seen_ip": null\n}\n');
    expect(refused).toEqual({ exitCode: 1, stdout: "", stderr: "The ip field is required.\n" });
  });

  test("says what to install if there are no packages, with an old Node.js and with a new one", async () => {
    const folder = join(home, "without-packages");
    await cp(join(project, "local"), join(folder, "local"), { recursive: true });
    const withOld = await shell(`${command} list`, { folder, environment: { PATH: await pathWithOldNode() } });
    const withNew = await shell(`'${process.execPath}' local/admin.mjs list`, { folder });

    expect(withOld).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(
        /^This is Node\.js 20\.20\.2, and the project needs 22\.18 or newer: .* run npm ci /,
      ),
    });
    expect(withNew).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(/A package is missing \(.*\): run npm ci, without --omit=dev, and try again\.\n$/),
    });
  });

  test("a reader that stops early gets what it wants, and no stack trace follows", async () => {
    const { stdout, stderr } = await shell(`${command} help | head -n 1`);

    expect(stdout).toMatch(/^Usage: .*\n$/);
    expect(stderr).toBe("");
  });
});

describe("the exit code of the admin command", () => {
  test("is 0 for what was done and for help, also in place of a field", async () => {
    expect(await shell(`${command} list limit=1`)).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await shell(`${command} help issue`)).toMatchObject({ exitCode: 0, stderr: "" });
    const help = await shell(`${command} issue --help`);
    expect(help).toMatchObject({ exitCode: 0, stderr: "" });
    expect(help.stdout).toMatch(/^Usage: node local\/admin\.mjs issue ip=…/);
  });

  test("is 1 for a refusal, with its message on stderr and nothing on stdout", async () => {
    expect(await shell(`${command} issue ip=10.0.0.0/8`)).toEqual({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/^The ip must .*CIDR.*\n$/),
    });
  });

  test.each([
    ["", /^Which action\?\n\nUsage: node local\/admin\.mjs ACTION/],
    ["lst", /^There is no action "lst"\. Did you mean list\?\n$/],
    ["list 'limit\u202e=1'", /^The action list has no field "limit\\u202e"\./],
    ["list limit=1 limit=2", /^The field limit is given twice\./],
  ])("is 2 for the wrong words %j, with what to do on stderr", async (words, message) => {
    expect(await shell(`${command} ${words}`)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringMatching(message),
    });
  });

  test("is 2 for a PORT that cannot be one", async () => {
    const { exitCode, stderr } = await shell(`${command} list`, { environment: { PORT: "http" } });

    expect(stderr).toBe("PORT is http, which is not a whole number from 1 to 65532: choose one, such as PORT=4000.\n");
    expect(exitCode).toBe(2);
  });

  test("is 3 if no service answers, or another part of it", async () => {
    const unused = await shell(`${command} list`, { environment: { PORT: String(await freePort()) } });
    const database = await shell(`${command} list`, {
      environment: { PORT: String(Number(new URL(service.dynamodbUrl).port) - 1) },
    });
    const website = await shell(`${command} list`, {
      environment: { PORT: String(Number(new URL(service.baseUrl).port) - 1) },
    });

    expect(unused).toMatchObject({
      exitCode: 3,
      stdout: "",
      stderr: expect.stringMatching(/^No service answers on port/),
    });
    for (const outcome of [database, website]) {
      expect(outcome).toMatchObject({
        exitCode: 3,
        stdout: "",
        stderr: expect.stringMatching(/^Something other than this service answers on port/),
      });
    }
  });
});

describe("npm run admin", () => {
  test("is the same command: silent, it prints only JSON", async () => {
    const { exitCode, stdout } = await shell("npm run --silent admin address ip=::1");

    expect(JSON.parse(stdout)).toEqual({ ip: "::1", seen_ip: null });
    expect(exitCode).toBe(0);
  });

  test("says how to get JSON alone if its output is piped with npm's banner", async () => {
    const { exitCode, stdout, stderr } = await shell("npm run admin address");

    expect(stdout).toMatch(/^\n> integration-api/);
    expect(stderr).toContain(`npm has printed a banner on stdout. For JSON alone: ${command} address\n`);
    expect(exitCode).toBe(0);
  });
});
