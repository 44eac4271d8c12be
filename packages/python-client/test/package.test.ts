import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod/mini";
import { api } from "../../../lambdas/api.ts";
import { describeApi } from "../../../openapi/describe-api.ts";
import { testCommands } from "../../../test/clients/support/commands.ts";
import { invite, tokenFile, trustWorkload } from "../../../test/clients/support/tokens.ts";
import { python, requirePython } from "../../../test/support/programs.ts";
import { sharedService, type TestService } from "../../../test/support/service.ts";

// The tests have many steps, each of which takes less than a minute.
vi.setConfig({ testTimeout: 300_000 });

const run = promisify(execFile);
const schema = z.object({ properties: z.record(z.string(), z.unknown()) });
const names = z.array(z.string());
const client = z.object({ calls: names, Key: names, Token: names, IssuedToken: names, Confirmation: names });

/** The calls whose methods have different names. `enrol` is a separate function. */
const methods: Record<string, string[]> = {
  list_keys: ["keys", "pages"],
  redeem_invitation: [],
  rotate_token: ["rotate"],
  move_token: ["move"],
  revoke_token: ["revoke"],
};

const runPython = (words: string[], environment: NodeJS.ProcessEnv = python.environment) =>
  run(python.command, words, { cwd: python.folder, env: environment });

const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "python-client-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

/** All samples of the README combined into one program. */
const samples = async (): Promise<string> => {
  const readme = await readFile(`${python.folder}README.md`, "utf8");
  return [...readme.matchAll(/```python\n(.*?)```/gs)].map(([, sample]) => sample).join("\n");
};

let service: TestService;
beforeAll(async () => {
  service = await sharedService();
});

describe("the Python client", () => {
  beforeEach((context) => requirePython(context));

  const programs = () => ({
    program: python.command,
    command: ["-m", "integration_api_client"],
    environment: python.environment,
  });
  testCommands(programs, () => service);

  test("passes its own tests, without warnings", async () => {
    const { stderr } = await runPython(["-W", "error", "-m", "unittest", "discover", "--start-directory", "test"]);
    expect(stderr).toMatch(/Ran [1-9]\d+ tests/);
  });

  test("calls only existing endpoints, and knows all fields of their results", async () => {
    const { components = {} } = describeApi(api);
    const fieldsOf = (name: string): string[] => Object.keys(schema.parse(components.schemas?.[name]).properties);
    const endpoints = Object.values(api.versions)
      .flat()
      .flatMap(({ endpoints }) => Object.keys(endpoints));
    const calls = endpoints.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    const script = `
import dataclasses, json
from integration_api_client import Confirmation, IntegrationClient, IssuedToken, Key, Token
results = (Confirmation, IssuedToken, Key, Token)
fields = {result.__name__: [field.name for field in dataclasses.fields(result)] for result in results}
print(json.dumps({"calls": [name for name in vars(IntegrationClient) if not name.startswith("_")], **fields}))`;

    const { stdout } = await runPython(["-c", script]);

    const { calls: offered, ...fields } = client.parse(JSON.parse(stdout));

    expect(calls.flatMap((name) => methods[name] ?? [name])).toEqual(expect.arrayContaining(offered));
    expect(offered).toEqual(expect.arrayContaining(["keys", "create_key", "get_token", "rotate", "move", "revoke"]));
    expect(fields).toEqual({
      Confirmation: fieldsOf("ConfirmationRequest"),
      IssuedToken: fieldsOf("IssuedToken"),
      Key: fieldsOf("Key"),
      Token: fieldsOf("Token"),
    });
  });

  test("has README samples that run one after another and leave no keys behind", async () => {
    await service.call("POST", "/api/v1/key", { form: { key_id: "kept", v_code: "v".repeat(64) } });
    const token = await service.issueToken();
    const { token_id, invitation } = await invite(service, "127.0.0.1");
    const file = await tokenFile();
    const environment = {
      ...python.environment,
      BASE_URL: service.baseUrl,
      TOKEN: token,
      INVITATION: invitation,
      TOKEN_FILE: file.path,
      ...(await trustWorkload(service)).environment,
    };
    const { stdout, stderr } = await runPython(["-W", "error", "-c", await samples()], environment);

    expect(stderr).toBe("");
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(/^1234567 was created at \d\d:\d\d UTC\.$/),
      "This token is bound to 127.0.0.1.",
      "1 keys",
      expect.stringMatching(/^This job has the token \w{26}\.$/),
      "Store the text of the new token, which has 80 characters, before the next call.",
      expect.stringMatching(/^The token expires on \d\d [A-Z][a-z]+\. It cannot be rotated\.$/),
      "kept",
      "1 keys",
      "The key has changed since it was created. It is not deleted.",
      "{'v_code': ['The v_code must be 64 characters.']}",
      expect.stringMatching(/^[0-9A-Z]{26}$/),
      "",
    ]);
    expect((await file.read()).token_id).toBe(token_id);
    const { stdout: left } = await runPython(
      ["-c", `${(await samples()).split("\n\nv_code")[0]}\nprint([key.key_id for key in client.keys()])`],
      environment,
    );
    expect(left).toBe("['kept']\n");
  });

  test("is fully typed, including its tests", async (context) => {
    requirePython(context, "mypy");
    const checked = ["src", "test", "../../test/clients/drivers/driver.py"];
    const { stdout } = await runPython(
      ["-m", "mypy", "--strict", "--cache-dir", await temporaryFolder(), ...checked],
      process.env,
    );
    expect(stdout).toMatch(/^Success: no issues found in \d\d source files/);
  });

  test("packs its sources, which install with types, changelog and licence into an empty environment", async (context) => {
    requirePython(context, "pip", "setuptools.command.bdist_wheel");
    const folder = await temporaryFolder();
    const environment = { PATH: process.env.PATH, PIP_DISABLE_PIP_VERSION_CHECK: "1", PIP_NO_INDEX: "1", HOME: folder };
    // A build writes into its source folder.
    await cp(python.folder, join(folder, "source"), { recursive: true });
    await runPython(["-m", "venv", "--without-pip", join(folder, "empty")], environment);
    const installed = join(folder, "empty", "bin", "python");
    const options = ["--no-build-isolation", "--no-deps", "--wheel-dir", folder];
    const pack = "import sys; from setuptools.build_meta import build_sdist; build_sdist(sys.argv[1])";
    await run(python.command, ["-c", pack, folder], { cwd: join(folder, "source"), env: environment });
    const find = async (ending: string) => (await readdir(folder)).filter((name) => name.endsWith(ending)).join();
    await runPython(["-m", "pip", "wheel", ...options, join(folder, await find(".tar.gz"))], environment);
    await runPython(["-m", "pip", "--python", installed, "install", join(folder, await find(".whl"))], environment);
    const script = [
      "from importlib.metadata import files, metadata, requires",
      "name = 'integration-api-client'",
      "print(requires(name), '# Changelog' in metadata(name)['Description'])",
      "print(sorted(file.name for file in files(name) if file.name in ('LICENSE', 'py.typed')))",
    ];
    const { stdout } = await run(installed, ["-c", script.join("\n")], { cwd: folder, env: environment });

    expect(stdout).toBe("None True\n['LICENSE', 'py.typed']\n");
  });
});
