import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { onTestFinished, type TestContext } from "vitest";
import { exampleAddress } from "../../lambdas/shared/addresses.ts";
import type { Language } from "../../web/documentation/samples/languages.ts";
import { python, requirePrograms } from "./programs.ts";
import type { TestService } from "./service.ts";

interface Interpreter {
  /** The program that must be installed. */
  needs: string;
  program: string;
  file: string;
}

const interpreters: Readonly<Record<Language, Interpreter>> = {
  sh: { needs: "curl", program: "sh", file: "sample.sh" },
  powershell: { needs: "pwsh", program: "pwsh", file: "sample.ps1" },
  ts: { needs: process.execPath, program: process.execPath, file: "sample.mts" },
  python: { needs: "python3", program: python.command, file: "sample.py" },
  php: { needs: "php", program: "php", file: "sample.php" },
};

/** With this configuration, curl fails if a call is rejected, like the samples in the other languages. */
export const curlConfiguration = { ".curlrc": "fail-with-body\nsilent\nshow-error\n" };

/** Makes both clients and their commands available to the samples in a folder. The service's own sources stand for the packages. */
const installClients = async (folder: string): Promise<void> => {
  const [modules, programs] = [join(folder, "node_modules"), join(folder, "bin")];
  for (const each of [join(modules, ".bin"), programs]) await mkdir(each, { recursive: true });
  const client = fileURLToPath(new URL("../../packages/client", import.meta.url));
  await symlink(client, join(modules, "integration-api-client"));
  await symlink(join(client, "command.mjs"), join(modules, ".bin", "integration-api-client"));
  await writeFile(join(folder, "package.json"), "{}");
  // PowerShell's sample protects its file with a program of Windows.
  const commands = {
    "integration-api-client": `exec '${python.command}' -m integration_api_client "$@"`,
    icacls: 'chmod 600 "$1"',
  };
  for (const [name, command] of Object.entries(commands)) {
    await writeFile(join(programs, name), `#!/bin/sh\n${command}\n`);
    await chmod(join(programs, name), 0o755);
  }
};

/** Runs a sample, with any additional environment variables. */
export type RunSample = (code: string, variables?: Record<string, string>) => Promise<string>;

/**
 * Prepares to run samples in a language as a reader would, with the address of a service and a token for it, in a folder with
 * these files. The result runs one, returns what it printed, and throws if it failed. Skips the test with a note if the
 * language is not installed.
 */
export const sampleRunner = async (
  context: TestContext,
  language: Language,
  service: Pick<TestService, "baseUrl" | "issueToken">,
  variables: NodeJS.ProcessEnv = {},
  files: Record<string, string> = curlConfiguration,
): Promise<RunSample> => {
  const { needs, program, file } = interpreters[language];
  requirePrograms(context, needs);
  const folder = await mkdtemp(join(tmpdir(), "integration-api-samples-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { mode: 0o600 });
  }
  await installClients(folder);
  const TOKEN = variables.TOKEN ?? (await service.issueToken());
  const PATH = `${join(folder, "bin")}${delimiter}${process.env.PATH}`;
  const env = { ...process.env, ...python.environment, PATH, CURL_HOME: folder, ...variables, TOKEN };

  return async (code, variables = {}) => {
    await writeFile(join(folder, file), code.replaceAll(exampleAddress, service.baseUrl));
    const { stdout } = await promisify(execFile)(program, [file], { cwd: folder, env: { ...env, ...variables } });
    return stdout;
  };
};
