import { execFile } from "node:child_process";
import { chmod, glob, mkdir, mkdtemp, readdir, readlink, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../", import.meta.url));
const packages = join(repository, "node_modules");

/** The packages of this repository that an application installs, by their folders. */
export const applicationPackages = ["", "packages/cdk-local-runner"];

const isForRepository = (name: string): boolean => /^(\..*|integration-api.*|cdk-local-runner)$/.test(name);

/**
 * Installs the dependencies of an application as `npm install` would: the packages in its folder `packages`, without any source files
 * of this repository. Their own dependencies are taken from this repository, so no registry is needed.
 */
export const installPackages = async (folder: string): Promise<void> => {
  const installed = join(folder, "node_modules");
  await mkdir(join(installed, ".bin"), { recursive: true });
  for (const name of (await readdir(packages)).filter((name) => !isForRepository(name))) {
    await symlink(join(packages, name), join(installed, name));
  }
  for (const name of await readdir(join(packages, ".bin"))) {
    const target = await readlink(join(packages, ".bin", name));
    if (!target.includes("/integration-api")) await symlink(target, join(installed, ".bin", name));
  }
  for await (const file of glob("*.tgz", { cwd: join(folder, "packages") })) {
    const target = join(installed, file.replace(/-\d.*$/, ""));
    await mkdir(target);
    await run("tar", ["-xzf", join(folder, "packages", file), "--strip-components=1"], { cwd: target });
  }
  await chmod(join(installed, "integration-api/local/cli.mjs"), 0o755);
  await symlink("../integration-api/local/cli.mjs", join(installed, ".bin/integration-api"));
};

/** Builds packages of this repository, and packs each into a file that npm can install or publish. */
export const packPackages = async (names: readonly string[], target: string): Promise<void> => {
  await mkdir(target, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), "integration-api-packages-"));
  try {
    for (const [index, name] of names.entries()) {
      const built = join(folder, `${index}`);
      await buildPackage(join(repository, name), built);
      // Sets the usual permissions, whatever the checkout has.
      await run("chmod", ["-R", "u=rwX,go=rX", built]);
      await run("npm", ["pack", "--pack-destination", target], { cwd: built });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Builds a package of this repository in a folder, as it is published. */
const buildPackage = async (source: string, folder: string): Promise<void> => {
  // As in npm, a package may have its own compiler.
  const compilers = [join(source, "node_modules/.bin"), join(packages, ".bin")];
  const env = { ...process.env, PATH: [...compilers, process.env.PATH].join(":") };
  await run(process.execPath, [join(repository, "packages/build.ts"), folder], { cwd: source, env });
  if (source !== repository) return;
  const complete = join(repository, "web/site/write-web-interface.ts");
  await run(process.execPath, [complete, folder], { cwd: repository });
};
