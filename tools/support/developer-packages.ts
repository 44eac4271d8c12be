import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Installs the packages that only tests and developers need and that `.npmrc` excludes from `npm ci`, unless they are installed.
 *
 * @throws {Error} if npm cannot install them, for example because there is no network.
 */
export const installDeveloperPackages = async (): Promise<void> => {
  if (isInstalled("vitest/package.json")) return;
  process.stderr.write("Installing the packages that only tests and developers need …\n");
  const words = ["install", "--include=dev", "--no-save", "--loglevel=error"];
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  // npm is a batch file on Windows, which only a shell can run. Its output goes to stderr, like all messages.
  const child = spawn(`npm ${words.join(" ")}`, { cwd, shell: true, stdio: ["ignore", 2, 2] });
  const [exitCode] = await once(child, "close");
  if (exitCode !== 0) throw new Error(`npm ${words.join(" ")} failed: see above.`);
};

const isInstalled = (file: string): boolean => {
  try {
    import.meta.resolve(file);
    return true;
  } catch {
    return false;
  }
};
