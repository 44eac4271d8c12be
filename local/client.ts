import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { LocalError } from "cdk-local-runner";
import { serviceFolder } from "../lambdas/shared/project-folder.ts";
import { descriptionFile } from "../lambdas/site/serve-documentation.ts";
import type { Description } from "../openapi/clients/client-model.ts";
import { pythonFiles, typescriptFiles } from "./client/client-files.ts";
import { earlierFiles, replaceFiles } from "./client/generated-folder.ts";
import { textIn, writingInto } from "./existing-files.ts";
import { helpIfAsked } from "./help-if-asked.ts";
import { buildService } from "./synthesise.ts";

helpIfAsked(`Usage: integration-api client typescript FOLDER [--version VERSION]
       integration-api client python FOLDER [--version VERSION]

Writes a typed client of the service in the current folder: a package that needs no other package.
Default of VERSION: the newest version in the service's CHANGELOG.md, or else in its package.json.
Running the command again replaces the files that it wrote, and leaves other files alone.
`);

const languages: Readonly<Record<string, typeof typescriptFiles>> = {
  typescript: typescriptFiles,
  python: pythonFiles,
};

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

try {
  const { values, positionals } = readWords();
  const [language = "", shown, ...others] = positionals;
  const makeFiles = Object.hasOwn(languages, language) ? languages[language] : undefined;
  if (makeFiles === undefined || shown === undefined || others.length > 0) {
    throw new LocalError(
      "Name a language and a folder, for example: integration-api client typescript ../freight-client. " +
        "The languages are typescript and python.",
    );
  }
  const version = values.version ?? (await newestVersion());
  if (!semanticVersion.test(version)) {
    throw new LocalError(`"${version}" cannot be the client's version. Set one like 1.2.0 with --version.`);
  }
  const place = { folder: resolve(shown), shown, generator: `integration-api client ${language}` };
  const earlier = await writingInto(shown, () => earlierFiles(place));
  await buildService();
  const description: Description = JSON.parse(await readFile(join(serviceFolder, descriptionFile), "utf8"));
  const files = await makeFiles(description, version);
  await writingInto(shown, () => replaceFiles(place, earlier, files));
  process.stdout.write(
    `${description.info["x-client"]} ${version} is in ${shown}. Its README.md says how to use it.\n`,
  );
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
