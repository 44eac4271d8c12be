import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium, type LaunchOptions } from "playwright-core";

const projectFolder = fileURLToPath(new URL("../..", import.meta.url));
const unpackedFolder = join(projectFolder, "node_modules/.cache/chromium");

/** How long a test waits for the browser and for something on a page. A slow machine takes several times as long as a fast one. */
export const waitMs = 240_000;

/**
 * Starts Chromium: the program in `CHROMIUM_PATH`, or otherwise the one that npm installs, which runs on Linux.
 *
 * @throws {Error} with instructions if neither runs.
 */
export const startBrowser = (): Promise<Browser> => start((launchOptions) => chromium.launch(launchOptions));

/** Starts Chromium with a profile folder, in which it stores everything that it does not keep only in memory. */
export const startBrowserWithProfile = async (folder: string): Promise<BrowserContext> => {
  const context = await start((launchOptions) => chromium.launchPersistentContext(folder, launchOptions));
  context.setDefaultTimeout(waitMs);
  return context;
};

const start = async <Started>(launch: (options: LaunchOptions) => Promise<Started>): Promise<Started> => {
  const program = process.env.CHROMIUM_PATH;
  if (!program && process.platform !== "linux")
    throw new Error(`The Chromium that npm installs needs Linux. ${howToFix}`);
  const installed = program ? {} : { env: environmentOf(await unpackChromium()) };
  try {
    return await launch({
      timeout: waitMs,
      executablePath: program || join(unpackedFolder, "chromium"),
      // Chromium's sandbox does not work as root or in a container, and Chromium opens only this project's pages here. The pages of
      // a context share a process, because a new process for each page would compile the same scripts again. Pages are open for
      // seconds, in which neither optimised code nor frequent garbage collection pays off.
      args: ["--no-sandbox", "--process-per-site", "--js-flags=--no-opt,--no-maglev,--min-semi-space-size=16"],
      ...installed,
    });
  } catch (cause) {
    throw new Error(`Chromium does not start. ${howToFix}`, { cause });
  }
};

const howToFix =
  "Install Chromium or Chrome and set CHROMIUM_PATH to its program, for example CHROMIUM_PATH='/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'.";

/** Points Chromium to its bundled fonts and system libraries, which a small machine may lack. */
const environmentOf = (folder: string) => ({
  HOME: folder,
  FONTCONFIG_FILE: join(folder, "fonts.conf"),
  LD_LIBRARY_PATH: join(folder, "al2023/lib"),
});

const fontSettings = `<fontconfig><dir>${unpackedFolder}/fonts</dir><cachedir>${unpackedFolder}</cachedir></fontconfig>`;

/** Unpacks @sparticuz/chromium once. Moves it into place in one step, because several tests may do this at the same time. */
const unpackChromium = async (): Promise<string> => {
  if (existsSync(unpackedFolder)) return unpackedFolder;
  await mkdir(dirname(unpackedFolder), { recursive: true });
  const folder = await mkdtemp(`${unpackedFolder}-`);
  const unpack = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())';
  // The package unpacks into the temporary folder, and includes the libraries only if it believes that it runs in Lambda.
  const env = { TMPDIR: folder, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" };
  await promisify(execFile)(process.execPath, ["-e", unpack], { cwd: projectFolder, env });
  await writeFile(join(folder, "fonts.conf"), fontSettings);
  try {
    await rename(folder, unpackedFolder);
  } catch (error) {
    await rm(folder, { recursive: true });
    if (!existsSync(unpackedFolder)) throw error;
  }
  return unpackedFolder;
};
