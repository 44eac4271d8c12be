import { cp, glob, mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { build } from "esbuild";
import * as z from "zod/mini";
import { packFolder } from "./tar.ts";

interface ArchiveSettings {
  /** The folder of this project. */
  project: string;
  /** The folder of the cloud assembly for `prod`, without other options. */
  assembly: string;
  /** The folder of the packed packages that an application installs. */
  packages: string;
  /** The folder in which the archive's files are collected. */
  folder: string;
  /** The modification time of the archive's files, in Unix seconds. */
  seconds: number;
}

/** The programs in the archive, which `npm start`, the commands and the CDK run. */
const programs = {
  start: "local/start.ts",
  admin: "local/admin.ts",
  days: "local/days.ts",
  new: "local/new.ts",
  "copy-table": "tools/recovery/copy-table.ts",
  app: "infra/app.ts",
};

/** The folder of the programs. Like every module that locates the top folder, it is two folders below the top. */
const programFolder = "local/built";

/** The packages that the CDK needs for a deployment. Until then, the archive does without them. */
const forDeployment = ["aws-cdk", "aws-cdk-lib", "cdk-nag", "constructs"];

/** Packages that programs load only when needed. In the archive, some are never needed. */
const notBundled = [...forDeployment, "chokidar", "esbuild", "typescript", "vite", "@vitejs/plugin-react"];

const names = z.record(z.string(), z.string());
const manifestSchema = z.looseObject({ name: z.string(), version: z.string(), optionalDependencies: names });
type Manifest = z.output<typeof manifestSchema>;

const packageSchema = z.looseObject({
  version: z.optional(z.string()),
  dependencies: z.optional(names),
  optionalDependencies: z.optional(names),
  dev: z.optional(z.boolean()),
  link: z.optional(z.boolean()),
  optional: z.optional(z.boolean()),
});
type LockedPackage = z.output<typeof packageSchema>;
type DependencyField = "dependencies" | "optionalDependencies";
const lockSchema = z.looseObject({ packages: z.record(z.string(), packageSchema) });
type Lock = z.output<typeof lockSchema>;

const readJson = async (file: string): Promise<unknown> => JSON.parse(await readFile(file, "utf8"));
const writeJson = (file: string, value: object) => writeFile(file, `${JSON.stringify(value, undefined, 2)}\n`);

/** Creates the archive of a release, from which operators run and deploy the service without building anything. */
export const makeArchive = async ({ project, assembly, packages, folder, seconds }: ArchiveSettings) => {
  const manifest = manifestSchema.parse(await readJson(join(project, "package.json")));
  const name = `${manifest.name}-${manifest.version}`;
  const top = join(folder, name);
  await mkdir(join(top, programFolder), { recursive: true });
  await Promise.all([
    copyAssembly(assembly, join(top, "assembly")),
    writePrograms(project, top),
    writePackages(project, top, manifest),
    ...["LICENSE", "CHANGELOG.md", ".npmrc", ".nvmrc"].map((file) => cp(join(project, file), join(top, file))),
    writeGuides(project, top),
    cp(packages, join(top, "packages"), { recursive: true }),
    cp(join(project, "examples/shipments"), join(top, "examples/shipments"), { recursive: true }),
  ]);
  return { name, bytes: await packFolder(folder, seconds) };
};

/** Matches the files of an assembly that deploying and running need. The others contain paths of this machine. */
const needed = /^(cdk\.out|manifest\.json|[^/]+\.(assets|metadata|template)\.json|(asset\.|bundles).*)$/;

const copyAssembly = async (assembly: string, copy: string): Promise<void> => {
  const filter = (path: string) => path === assembly || needed.test(relative(assembly, path));
  await cp(assembly, copy, { recursive: true, filter });
  for await (const file of glob("*.metadata.json", { cwd: copy })) {
    const metadata = z.record(z.string(), z.array(z.looseObject({ type: z.string() })));
    const entries = Object.entries(metadata.parse(await readJson(join(copy, file)))).map(([path, all]) => [
      path,
      all.filter(({ type }) => type !== "aws:cdk:creationStack").map(({ trace, ...entry }) => entry),
    ]);
    await writeJson(join(copy, file), Object.fromEntries(entries));
  }
};

const writePrograms = async (project: string, top: string): Promise<void> => {
  await build({
    absWorkingDir: project,
    entryPoints: programs,
    outdir: join(top, programFolder),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    mainFields: ["module", "main"],
    minify: true,
    // The names of output files depend on the paths of modules, which must not depend on where packages really are.
    preserveSymlinks: true,
    legalComments: "none",
    external: notBundled,
    logLevel: "warning",
  });
  const runner = z.object({ build: z.object({ files: z.array(z.string()) }) });
  const { build: ofRunner } = runner.parse(await readJson(join(project, "packages/cdk-local-runner/package.json")));
  const beside = [
    "infra/constructs/released-rights.json",
    "infra/bundles/cached.cjs",
    "infra/bundles/make-code-caches.mjs",
    ...ofRunner.files.map((file) => `packages/cdk-local-runner/${file}`),
  ];
  for (const file of beside) await cp(join(project, file), join(top, programFolder, basename(file)));
  for (const name of ["start", "admin", "days", "new"]) {
    await cp(join(project, `local/${name}.mjs`), join(top, `local/${name}.mjs`));
    await writeFile(join(top, `local/${name}.js`), `import "./built/${name}.js";\n`);
  }
  for (const file of ["local/cli.mjs", "local/run-typescript.mjs"]) await cp(join(project, file), join(top, file));
};

/**
 * Writes the package files. `npm ci` then installs only a Node.js, for machines with an older one. With `--include=dev`, it also
 * installs what a deployment needs.
 */
const writePackages = async (project: string, top: string, manifest: Manifest): Promise<void> => {
  const { name, version, description, license, engines, bin, optionalDependencies } = manifest;
  const lock = lockSchema.parse(await readJson(join(project, "package-lock.json")));
  const versionsOf = (names: string[]): Record<string, string> =>
    Object.fromEntries(names.map((one) => [one, String(lock.packages[`node_modules/${one}`]?.version)]));
  const devDependencies = versionsOf(forDeployment);
  const own = { name, version, license, engines, bin, devDependencies, optionalDependencies };
  const always = packagesFor({ optionalDependencies }, lock);
  const packages = [...packagesFor({ dependencies: devDependencies }, lock), ...always].toSorted().map((path) => {
    const { dev, ...entry } = lock.packages[path] ?? {};
    return [path, always.has(path) ? entry : { ...entry, dev: true }];
  });
  const scripts = {
    start: "node local/start.mjs",
    days: "node local/days.mjs",
    "copy-table": `node ${programFolder}/copy-table.js`,
  };
  await writeJson(join(top, "package.json"), { ...own, description, private: true, type: "module", scripts });
  await writeJson(join(top, "package-lock.json"), { ...lock, packages: { "": own, ...Object.fromEntries(packages) } });
  const { build: _, ...cdk } = z.looseObject({ build: z.string() }).parse(await readJson(join(project, "cdk.json")));
  await writeJson(join(top, "cdk.json"), { ...cdk, app: `node ${programFolder}/app.js` });
  await writeFile(join(top, "THIRD-PARTY-LICENSES"), await licencesOf(project, lock));
};

/** Returns the paths of all packages in a lock file that these dependencies need. */
const packagesFor = (dependencies: Pick<LockedPackage, DependencyField>, { packages }: Lock): Set<string> => {
  const found = new Set<string>();
  const visit = (
    parent: string,
    { dependencies, optionalDependencies }: Pick<LockedPackage, DependencyField>,
  ): void => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const above = parent.split("/node_modules/").map((_, index, all) => all.slice(0, all.length - index));
      const places = [...above.map((parts) => `${parts.join("/node_modules/")}/`), ""];
      const path = places.map((place) => `${place}node_modules/${name}`).find((one) => one in packages);
      if (path === undefined || found.has(path)) continue;
      found.add(path);
      visit(path, packages[path] ?? {});
    }
  };
  visit("", dependencies);
  return found;
};

/** Returns the licences of everything that the programs, the functions and the site may contain, without duplicates. */
const licencesOf = async (project: string, { packages }: Lock): Promise<string> => {
  const names = new Map<string, string[]>();
  for (const [path, { dev, link, optional, version }] of Object.entries(packages)) {
    if (dev || link || optional || !path.startsWith("node_modules/")) continue;
    for await (const file of glob("{licen[cs]e,LICEN[CS]E,Licen[cs]e}*", { cwd: join(project, path) })) {
      const text = (await readFile(join(project, path, file), "utf8")).replaceAll("\r\n", "\n").trim();
      names.set(text, [...(names.get(text) ?? []), `${path.split("node_modules/").at(-1)} ${version}`]);
    }
  }
  return [...names].map(([text, of]) => `${of.join(", ")}\n\n${text}\n`).join(`\n${"-".repeat(72)}\n\n`);
};

/** Writes the operators' documents, with links that work in the archive. */
const writeGuides = async (project: string, top: string): Promise<void> => {
  await cp(join(project, "docs"), join(top, "docs"), {
    recursive: true,
    filter: (path) => !/docs\/images$/.test(path),
  });
  const guide = await readFile(join(project, "docs/release.md"), "utf8");
  await writeFile(join(top, "README.md"), guide.replaceAll(/\]\((?=[\w-]+\.md)/g, "](docs/"));
};
