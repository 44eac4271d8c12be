import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";

const projectFolder = fileURLToPath(new URL("../..", import.meta.url));
const unpackedFolder = join(projectFolder, "node_modules/.cache/chromium");

/**
 * Starts Chromium: the one in `CHROMIUM_PATH`, or else the one that comes through npm, for Linux.
 *
 * @throws {Error} saying what to do where neither runs.
 */
export const startBrowser = async (): Promise<Browser> => {
  const { CHROMIUM_PATH } = process.env;
  const packed = CHROMIUM_PATH ? {} : { env: environmentOf(await unpackChromium()) };
  try {
    return await chromium.launch({
      executablePath: CHROMIUM_PATH ?? join(unpackedFolder, "chromium"),
      // Chromium's sandbox is not to be had as root or in a container, and all it sees here are this project's pages.
      args: ["--no-sandbox"],
      ...packed,
    });
  } catch (cause) {
    throw new Error("Chromium does not start: set CHROMIUM_PATH to the program of a Chromium or Chrome.", { cause });
  }
};

/** Where Chromium finds the fonts and the system libraries that came with it: a small machine may have none. */
const environmentOf = (folder: string) => ({
  HOME: folder,
  FONTCONFIG_FILE: join(folder, "fonts.conf"),
  LD_LIBRARY_PATH: join(folder, "al2023/lib"),
});

const fontSettings = `<fontconfig><dir>${unpackedFolder}/fonts</dir><cachedir>${unpackedFolder}</cachedir></fontconfig>`;

/** Unpacks @sparticuz/chromium, once: elsewhere, then moved in one step, so that tests may do it at the same time. */
const unpackChromium = async (): Promise<string> => {
  if (existsSync(unpackedFolder)) return unpackedFolder;
  await mkdir(dirname(unpackedFolder), { recursive: true });
  const folder = await mkdtemp(`${unpackedFolder}-`);
  const unpack = 'import("@sparticuz/chromium").then(({ default: chromium }) => chromium.executablePath())';
  // It unpacks into the folder for temporary files, and the libraries only where it seems to run in Lambda.
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
