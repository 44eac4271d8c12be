import { execFile } from "node:child_process";
import { chmod, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../", import.meta.url));
const packages = join(repository, "node_modules");

/** The packages of this repository that the example needs, and the packages that it must not get. */
const built = { "integration-api": repository, "cdk-local-runner": join(repository, "packages/cdk-local-runner") };
const isForRepository = (name: string): boolean => name in built || /^(\..*|integration-api.*)$/.test(name);

/**
 * Installs the dependencies of an application in a folder as its users would: the built packages, without any source files of this
 * repository. Their own dependencies are taken from this repository, so no registry is needed.
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
  for (const [name, source] of Object.entries(built)) await buildPackage(source, join(installed, name));
  await chmod(join(installed, "integration-api/local/cli.mjs"), 0o755);
  await symlink("../integration-api/local/cli.mjs", join(installed, ".bin/integration-api"));
};

/** Builds a package of this repository in a folder, as it is published. */
export const buildPackage = async (source: string, folder: string): Promise<void> => {
  // As in npm, a package may have its own compiler.
  const compilers = [join(source, "node_modules/.bin"), join(packages, ".bin")];
  const env = { ...process.env, PATH: [...compilers, process.env.PATH].join(":") };
  await run(process.execPath, [join(repository, "packages/build.ts"), folder], { cwd: source, env });
  if (source !== repository) return;
  const complete = join(repository, "web/site/write-web-interface.ts");
  await run(process.execPath, [complete, folder], { cwd: repository });
};
