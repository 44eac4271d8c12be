import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, glob, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalError } from "cdk-local-runner";
import { isDependency, packageFolder, releasedAssembly } from "../../lambdas/shared/project-folder.ts";

/**
 * Writes the packages that an application installs into its folder. The archive of a release contains them; the repository builds
 * them.
 *
 * @returns the dependencies of the application, by name
 */
export const writePackages = async (application: string): Promise<Record<string, string>> => {
  const target = join(application, "packages");
  if (releasedAssembly !== undefined) return replace(join(packageFolder, "packages"), target);
  if (isDependency)
    throw new LocalError("Run this in the repository of integration-api, or in the archive of a release.");
  const folder = await mkdtemp(join(tmpdir(), "integration-api-new-"));
  try {
    process.stderr.write("Building the packages …\n");
    const words = [join(packageFolder, "tools/release/pack-packages.ts"), folder];
    const [exitCode] = await once(spawn(process.execPath, words, { stdio: ["ignore", 2, 2] }), "close");
    if (exitCode !== 0) throw new LocalError("The packages could not be built: see above.");
    return await replace(folder, target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const replace = async (source: string, target: string): Promise<Record<string, string>> => {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const dependencies: Record<string, string> = {};
  for await (const file of glob("*.tgz", { cwd: source })) {
    await cp(join(source, file), join(target, file));
    dependencies[file.replace(/-\d.*$/, "")] = `file:packages/${file}`;
  }
  return dependencies;
};
