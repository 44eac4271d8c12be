import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { LocalError } from "cdk-local-runner";
import { serviceFolder } from "../lambdas/shared/project-folder.ts";
import { descriptionFile } from "../lambdas/site/serve-documentation.ts";
import type { Description } from "../openapi/clients/client-model.ts";
import { type ClientFiles, type ClientRelease, pythonFiles, typescriptFiles } from "./client/client-files.ts";
import { namesIn, textIn } from "./existing-files.ts";
import { helpIfAsked } from "./help-if-asked.ts";
import { buildService } from "./synthesise.ts";

helpIfAsked(`Usage: integration-api client typescript FOLDER [--version VERSION]
       integration-api client python FOLDER [--version VERSION]

Writes a typed client of the service in the current folder: a package that needs no other package.
Default of VERSION: the newest version in the service's CHANGELOG.md, or else in its package.json.
Running the command again replaces the files that it wrote.
`);

type MakeFiles = (description: Description, release: ClientRelease) => Promise<ClientFiles>;

/** The languages, each with the file that shows that this command wrote a folder. */
const languages: Readonly<Record<string, [make: MakeFiles, manifest: string]>> = {
  typescript: [typescriptFiles, "package.json"],
  python: [pythonFiles, "pyproject.toml"],
};

/** A string in the manifest of each client, by which a later run recognizes it. */
const mark = "integration-api client";

const readWords = () => {
  try {
    return parseArgs({ allowPositionals: true, options: { version: { type: "string" } } });
  } catch (error) {
    throw new LocalError(`${error instanceof Error ? error.message : error}. --help shows what can be given.`);
  }
};

const semanticVersion = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

const newestVersion = async (): Promise<string> => {
  const changelog = await textIn(join(serviceFolder, "CHANGELOG.md"));
  const headings = [...changelog.matchAll(/^## \[?v?([^\s\]]+)/gm)].map(([, version = ""]) => version);
  const released = headings.find((version) => semanticVersion.test(version));
  return released ?? JSON.parse(await readFile(join(serviceFolder, "package.json"), "utf8")).version ?? "";
};

const checkFolder = async (folder: string, shown: string, manifest: string): Promise<void> => {
  if ((await namesIn(folder, shown)).length === 0) return;
  if ((await textIn(join(folder, manifest))).includes(mark)) return;
  throw new LocalError(`${shown} contains other files. Name a new folder.`);
};

try {
  const { values, positionals } = readWords();
  const [language = "", shown, ...others] = positionals;
  const [makeFiles, manifest] = languages[language] ?? [];
  if (makeFiles === undefined || manifest === undefined || shown === undefined || others.length > 0) {
    throw new LocalError(
      "Name a language and a folder, for example: integration-api client typescript ../freight-client. " +
        "The languages are typescript and python.",
    );
  }
  const version = values.version ?? (await newestVersion());
  if (!semanticVersion.test(version)) {
    throw new LocalError(`"${version}" cannot be the client's version. Set one like 1.2.0 with --version.`);
  }
  const folder = resolve(shown);
  await checkFolder(folder, shown, manifest);
  await buildService();
  const description: Description = JSON.parse(await readFile(join(serviceFolder, descriptionFile), "utf8"));
  const files = await makeFiles(description, { version, mark });
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content, { mode: basename(name) === "command.mjs" ? 0o755 : 0o644 });
  }
  process.stdout.write(
    `${description.info["x-client"]} ${version} is in ${shown}. Its README.md says how to use it.\n`,
  );
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
