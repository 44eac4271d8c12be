import { cp, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { LocalError } from "cdk-local-runner";
import * as z from "zod/mini";
import { packageFolder } from "../../lambdas/shared/project-folder.ts";
import { namesIn, textIn } from "../existing-files.ts";
import { type ApplicationNames, namesFor } from "./names.ts";
import { writePackages } from "./packages.ts";

const template = join(packageFolder, "examples/shipments");

/** Files that the template lacks, because they would also apply to this repository. */
const settings = {
  ".gitignore": ["node_modules/", ".local/", "cdk.out/", "api-docs.json*", "options.*.json"],
  ".npmrc": [
    "# npm brings Node.js 24 along, so warnings about the installed version do not apply.",
    "loglevel=error",
    "audit=false",
    "fund=false",
  ],
};

/** Matches what a run in the folder of the template may have left there. */
const generated = /^(node_modules|packages|package-lock\.json|\.local|cdk\.out|api-docs\.json.*|options\..*\.json)$/;

const manifestSchema = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

/**
 * Creates an application in a new folder: the example's files under its own name, and the packages that it depends on.
 *
 * @param shown the folder as the user has named it
 * @returns what to do next
 */
export const makeApplication = async (folder: string, shown: string): Promise<string> => {
  const names = namesFor(basename(folder));
  await checkEmpty(folder, shown);
  const dependencies = await writePackages(folder);
  await cp(template, folder, { recursive: true, filter: (path) => !generated.test(basename(path)) });
  for (const file of ["README.md", "package.json", "service.ts"]) await rename(join(folder, file), names);
  await changeDependencies(folder, dependencies);
  for (const [file, lines] of Object.entries(settings)) await writeFile(join(folder, file), `${lines.join("\n")}\n`);
  return `${names.title} is in ${shown}. Next:\n\n  cd ${quoted(shown)}\n  npm install\n  npm start\n\nREADME.md there lists the other commands.`;
};

/** Returns a path as a shell reads it. */
const quoted = (path: string): string => (/^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** Accepts an empty repository, because some people create one first. */
const checkEmpty = async (folder: string, shown: string): Promise<void> => {
  const entries = await namesIn(folder, shown);
  if (entries.some((name) => name !== ".git")) throw new LocalError(`${shown} is not empty. Name a new folder.`);
};

const rename = async (file: string, names: ApplicationNames): Promise<void> => {
  const text = await readFile(file, "utf8");
  const renamed = text.replaceAll("Freight API", names.title).replaceAll("Freight", names.service);
  await writeFile(file, renamed.replaceAll('"freight"', `"${names.package}"`));
};

const changeDependencies = async (folder: string, dependencies: Record<string, string>): Promise<void> => {
  const file = join(folder, "package.json");
  const manifest: unknown = JSON.parse(await readFile(file, "utf8"));
  const all = Object.entries({ ...manifestSchema.parse(manifest).dependencies, ...dependencies });
  const sorted = Object.fromEntries(all.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  await writeFile(file, `${JSON.stringify(Object.assign({}, manifest, { dependencies: sorted }), undefined, 2)}\n`);
};

/** Replaces the packages of an application with those of this version. Returns what to do next. */
export const upgradeApplication = async (folder: string, shown: string): Promise<string> => {
  const text = await textIn(join(folder, "package.json"));
  const { success, data } = manifestSchema.safeParse(jsonIn(text, shown));
  if (!success || !data.dependencies["integration-api"]?.startsWith("file:packages/")) {
    throw new LocalError(`${shown} has no application whose packages are in its folder "packages".`);
  }
  const files = Object.values(await writePackages(folder)).map((dependency) => dependency.replace("file:", "./"));
  return `The packages in ${shown} are those of this version. Next:\n\n  cd ${quoted(shown)}\n  npm install ${files.join(" ")}`;
};

const jsonIn = (text: string, shown: string): unknown => {
  try {
    return JSON.parse(text || "{}");
  } catch {
    throw new LocalError(`The package.json in ${shown} is not JSON. Correct it, and repeat the command.`);
  }
};
