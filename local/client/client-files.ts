import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { LocalError } from "cdk-local-runner";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";
import { clientModelOf, type Description, pythonMethods } from "../../openapi/clients/client-model.ts";
import { clientNamesOf } from "../../openapi/clients/client-names.ts";
import { pythonErrorCodesOf, pythonOperationsOf } from "../../openapi/clients/python-operations.ts";
import { apiTypesOf } from "../../openapi/clients/typescript-types.ts";
import { pythonReadme, typescriptReadme } from "./readme.ts";

/** The files of a client, by path. */
export type ClientFiles = Readonly<Record<string, string>>;

/** Returns the TypeScript client of a service: the built-in one with other types. */
export const typescriptFiles = async (description: Description, version: string): Promise<ClientFiles> => {
  const model = clientModelOf(description);
  const { name, command, rename } = clientNamesOf(description.info);
  const { javascript, declarations } = apiTypesOf(model);
  const builtIn = await readBuiltClient();
  const { "package.json": manifest = "", "README.md": readme = "", "CHANGELOG.md": _, ...modules } = builtIn;
  const { keywords: __, ...members } = JSON.parse(rename(manifest));
  return {
    ...Object.fromEntries(Object.entries(modules).map(([file, content]) => [file, rename(content)])),
    "api-types.js": javascript,
    "api-types.d.ts": declarations,
    "package.json": `${JSON.stringify({ ...members, name, version, bin: { [command]: "command.mjs" } }, null, 2)}\n`,
    "README.md": typescriptReadme(model, name, rename(readme)),
  };
};

/** Returns the Python client of a service. */
export const pythonFiles = async (description: Description, version: string): Promise<ClientFiles> => {
  const model = clientModelOf(description, pythonMethods);
  const { module, rename } = clientNamesOf(description.info);
  const source = join(packageFolder, "packages/python-client");
  const {
    "keys.py": _,
    "changes.py": __,
    ...modules
  } = await readFiles(join(source, "src/integration_api_client"), /\.py$|^py\.typed$/);
  const { "pyproject.toml": project = "", "README.md": readme = "" } = await readFiles(
    source,
    /^(pyproject\.toml|README\.md)$/,
  );
  return {
    ...Object.fromEntries(
      Object.entries(modules).map(([file, content]) => [`src/${module}/${file}`, rename(withoutKeys(file, content))]),
    ),
    [`src/${module}/operations.py`]: pythonOperationsOf(model),
    [`src/${module}/error_codes.py`]: pythonErrorCodesOf(model),
    "pyproject.toml": rename(project)
      .replace(/^version = .*$/m, `version = "${version}"`)
      .replace(', "CHANGELOG.md"', ""),
    "README.md": pythonReadme(model, module, rename(readme)),
    LICENSE: await readFile(join(packageFolder, "LICENSE"), "utf8"),
  };
};

/** Removes what the built-in client exports of its keys. */
const withoutKeys = (file: string, content: string): string => {
  if (file !== "__init__.py") return content;
  const imports = /^from \.(?:keys|changes) import (.*)\n/gm;
  const names = [...content.matchAll(imports)].flatMap(([, all = ""]) => all.split(", "));
  return content
    .replaceAll(imports, "")
    .replaceAll(/^ {4}"(\w+)",\n/gm, (line, name) => (names.includes(name) ? "" : line));
};

/** Reads the built TypeScript client. The package contains it; the repository builds it. */
const readBuiltClient = async (): Promise<Record<string, string>> => {
  const source = join(packageFolder, "packages/client");
  if (existsSync(join(source, "index.js"))) return readFiles(source);
  if (!existsSync(join(source, "src"))) throw new LocalError("The clients of this service are part of its release.");
  const folder = await mkdtemp(join(tmpdir(), "integration-api-client-"));
  try {
    const compilers = [join(source, "node_modules/.bin"), join(packageFolder, "node_modules/.bin")];
    const env = { ...process.env, PATH: [...compilers, process.env.PATH].join(delimiter) };
    const child = spawn(process.execPath, [join(packageFolder, "packages/build.ts"), folder], {
      cwd: source,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [errorOutput, [exitCode]] = await Promise.all([text(child.stderr), once(child, "close")]);
    if (exitCode !== 0)
      throw new LocalError(`${errorOutput}\nThe client could not be built: run npm ci --include=dev.`);
    return await readFiles(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const readFiles = async (folder: string, names = /./): Promise<Record<string, string>> => {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && names.test(entry.name)).map(({ name }) => name);
  const contents = files.toSorted().map(async (file) => [file, await readFile(join(folder, file), "utf8")] as const);
  return Object.fromEntries(await Promise.all(contents));
};
