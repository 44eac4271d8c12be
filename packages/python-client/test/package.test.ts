import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { python, requirePython } from "../../../test/support/programs.ts";

const run = promisify(execFile);

const runPython = (words: string[], environment: NodeJS.ProcessEnv = python.environment) =>
  run(python.command, words, { cwd: python.folder, env: environment });

const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "python-client-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

beforeEach((context) => requirePython(context));

test("passes its own tests, without warnings", async () => {
  const { stderr } = await runPython(["-W", "error", "-m", "unittest", "discover", "--start-directory", "test"]);
  expect(stderr).toMatch(/Ran [1-9]\d+ tests/);
});

test("is fully typed, including its tests", async (context) => {
  requirePython(context, "mypy");
  const checked = ["src", "test"];
  const { stdout } = await runPython(
    ["-m", "mypy", "--strict", "--cache-dir", await temporaryFolder(), ...checked],
    process.env,
  );
  expect(stdout).toMatch(/^Success: no issues found in \d\d source files/);
});

test("builds a source package that installs with types, changelog and licence into an empty environment", async (context) => {
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
