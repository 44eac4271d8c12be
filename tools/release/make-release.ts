import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { helpIfAsked } from "../../local/help-if-asked.ts";
import { synthesise } from "../../local/synthesise.ts";
import { installDeveloperPackages } from "../support/developer-packages.ts";
import { applicationPackages, packPackages } from "../support/packages.ts";
import { makeArchive } from "./archive.ts";
import { packFolder } from "./tar.ts";

helpIfAsked(`Usage: node tools/release/make-release.ts [FOLDER]

Makes everything that a release consists of in a new folder, by default "release": the archive, the packages for npm and PyPI, the
bill of materials, the release notes and the checksums. It needs Python 3.10 with setuptools 84. The same commit makes the
same bytes on every machine with the same version of setuptools.
`);

const project = fileURLToPath(new URL("../..", import.meta.url));
const target = resolve(process.argv[2] ?? "release");

/** Runs a program in the project, and returns its output. */
const run = async (command: string, words: string[], cwd = project): Promise<string> => {
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(seconds) };
  return (await promisify(execFile)(command, words, { cwd, env, maxBuffer: 2 ** 28 })).stdout;
};

/** Sets the usual permissions of files and folders, whatever the checkout has. */
const shareFiles = (folder: string) => run("chmod", ["-R", "u=rwX,go=rX", folder]);

/** The oldest supported version, because setuptools determines how a wheel is written. */
const oldestSetuptools = 84;

const checkPython = async (): Promise<void> => {
  const requirement = `This needs Python 3.10 with setuptools ${oldestSetuptools}: run python3 -m pip install "setuptools>=${oldestSetuptools}".`;
  const version = await run("python3", ["-c", "import setuptools; print(setuptools.__version__)"]).catch((error) => {
    throw new Error(requirement, { cause: error });
  });
  if (Number.parseInt(version, 10) < oldestSetuptools) throw new Error(`${requirement} It is ${version.trim()} now.`);
};

const timeOfCommit = async (): Promise<number> => {
  const { stdout } = await promisify(execFile)("git", ["log", "-1", "--format=%ct"], { cwd: project });
  return Number(stdout);
};

const seconds = Number(process.env.SOURCE_DATE_EPOCH) || (await timeOfCommit());

const writeArchive = async (folder: string): Promise<void> => {
  const assembly = await synthesise(join(folder, "assembly"), { folder: project });
  const packages = join(folder, "packages");
  await packPackages(applicationPackages, packages);
  await cp(packages, files, { recursive: true });
  const { name, bytes } = await makeArchive({ project, assembly, packages, folder: join(folder, "archive"), seconds });
  await writeFile(join(files, `${name}.tar.gz`), bytes);
};

const writePythonPackages = async (folder: string): Promise<void> => {
  const copy = join(folder, "python-client");
  await cp(join(project, "packages/python-client"), copy, { recursive: true });
  await shareFiles(copy);
  const build = [
    "import sys",
    "from setuptools.build_meta import build_sdist, build_wheel",
    "wheels, sdists = sys.argv[1:]",
    "build_wheel(wheels)",
    "build_sdist(sdists)",
  ].join("\n");
  const unpacked = join(folder, "sdist");
  await mkdir(unpacked);
  await run("python3", ["-c", build, files, folder], copy);
  // setuptools sets the times and owners of its files to those of this machine.
  const [sdist = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tar.gz"));
  await run("tar", ["-xzf", join(folder, sdist)], unpacked);
  await writeFile(join(files, sdist), await packFolder(unpacked, seconds));
};

const readManifest = async () => JSON.parse(await readFile(join(project, "package.json"), "utf8"));

const writeBillOfMaterials = async (): Promise<void> => {
  const words = ["sbom", "--sbom-format", "cyclonedx", "--workspaces=false", "--include=dev", "--package-lock-only"];
  const { name } = await readManifest();
  const { serialNumber: _, ...bill } = JSON.parse(await run("npm", words));
  // npm names the component after the folder.
  bill.metadata.component.name = name;
  bill.metadata.timestamp = new Date(seconds * 1000).toISOString();
  await writeFile(join(files, "bom.cdx.json"), `${JSON.stringify(bill, undefined, 2)}\n`);
};

const writeNotes = async (): Promise<void> => {
  const { version } = await readManifest();
  const sections = (await readFile(join(project, "CHANGELOG.md"), "utf8")).split(/^## /m);
  const notes = sections.find((section) => section.startsWith(`[${version}]`));
  if (notes === undefined) throw new Error(`CHANGELOG.md has no section for ${version}.`);
  await writeFile(join(files, "release-notes.md"), `${notes.slice(notes.indexOf("\n")).trim()}\n`);
};

const writeChecksums = async (): Promise<void> => {
  const lines = (await readdir(files)).toSorted().map(async (name) => {
    const hash = createHash("sha256").update(await readFile(join(files, name)));
    return `${hash.digest("hex")}  ${name}\n`;
  });
  await writeFile(join(files, "SHA256SUMS"), (await Promise.all(lines)).join(""));
};

// Applies to the files that setuptools writes.
process.umask(0o022);
await checkPython();
if (existsSync(target)) throw new Error(`${target} exists already: remove it, or name another folder.`);
await installDeveloperPackages();
const folder = await mkdtemp(join(tmpdir(), "integration-api-release-"));
// Moved to the target when it is complete.
const files = join(folder, "release");
try {
  await mkdir(files);
  await writeArchive(folder);
  await packPackages(["packages/client"], files);
  await writePythonPackages(folder);
  await writeBillOfMaterials();
  await writeNotes();
  await writeChecksums();
  await cp(files, target, { recursive: true, errorOnExist: true, force: false });
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(await readFile(join(target, "SHA256SUMS"), "utf8"));
