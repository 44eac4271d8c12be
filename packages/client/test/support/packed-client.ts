import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { compileCache } from "../../../../test/support/compile-cache.ts";

const run = promisify(execFile);
const client = fileURLToPath(new URL("../..", import.meta.url));
const repository = join(client, "../..");

const compilerIn = (folder: string) => {
  const manifest = createRequire(join(folder, "package.json")).resolve("typescript/package.json");
  const { version } = createRequire(manifest)(manifest) as { version: string };
  return { version, file: join(dirname(manifest), "bin/tsc") };
};

/** The TypeScript 5 compiler that builds the package. */
export const buildCompiler = compilerIn(client);

/** The TypeScript compiler that the rest of the repository uses. */
export const currentCompiler = compilerIn(repository);

/** An additional TypeScript compiler in the folder `OTHER_TYPESCRIPT`. */
export const otherCompilers = process.env.OTHER_TYPESCRIPT ? [compilerIn(resolve(process.env.OTHER_TYPESCRIPT))] : [];

/** Creates an otherwise empty project and installs the packed client in it, without a registry. */
export const installPackedClient = async () => {
  const folder = await mkdtemp(join(tmpdir(), "packed-client-"));
  const [source, project] = [join(folder, "source"), join(folder, "project")];
  // A build must not write where other tests read.
  const left = new Set(["node_modules", "dist", "test"].map((name) => join(client, name)));
  await cp(client, source, { recursive: true, filter: (file) => !left.has(file) });
  // Uses the workspace's Node.js types.
  await mkdir(join(source, "node_modules"));
  await symlink(join(repository, "node_modules/@types"), join(source, "node_modules/@types"));
  const path = [dirname(buildCompiler.file), process.env.PATH].join(delimiter);
  const environment = { ...process.env, PATH: path };
  const npm = (cwd: string, ...options: string[]) =>
    run("npm", [...options, "--offline", "--no-audit", "--no-fund", "--no-update-notifier"], { cwd, env: environment });
  await run(process.execPath, [join(repository, "packages/build.ts")], { cwd: source, env: environment });
  await npm(join(source, "dist"), "pack", "--pack-destination", folder);
  const [tarball = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));

  await mkdir(project);
  await writeFile(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  await npm(project, "install", join(folder, tarball));

  return {
    installed: join(project, "node_modules/integration-api-client"),
    /** Writes a file of the project and returns its path. */
    write: async (name: string, text: string): Promise<string> => {
      await writeFile(join(project, name), text);
      return join(project, name);
    },
    /** Runs a file of the project with a Node.js executable and arguments. */
    run: (node: string, file: string, environment: Record<string, string>, ...words: string[]) =>
      run(node, [join(project, file), ...words], { cwd: project, env: { ...compileCache, ...environment } }),
    /** Returns the lines that a compiler reports about files of the project with these options. */
    compile: async (compiler: string, files: string[], options: object): Promise<string[]> => {
      const configuration = join(project, "tsconfig.json");
      await writeFile(configuration, JSON.stringify({ compilerOptions: options, files }));
      const report = await run(process.execPath, [compiler, "-p", configuration]).catch((error) => error);
      return report.stdout.split("\n").filter(Boolean);
    },
    close: () => rm(folder, { recursive: true }),
  };
};

/** Finds a Node.js executable of a version on the path. */
export const findNode = async (major: number): Promise<string | undefined> => {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const file = join(folder, "node");
    const version = await run(file, ["--version"]).then(
      ({ stdout }) => stdout,
      () => "",
    );
    if (version.startsWith(`v${major}.`)) return file;
  }
  return undefined;
};
