import { type ChildProcessByStdio, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { LocalError } from "cdk-local-runner";
import * as z from "zod/mini";
import { bundledFunctionsFile, bundleFolderOf } from "../infra/bundles/assembly-files.ts";
import { serviceFolder } from "../lambdas/shared/project-folder.ts";
import { textIn } from "./existing-files.ts";

/** The settings in a service's cdk.json. */
const cdkSettings = z.object({ app: z.string(), build: z.optional(z.string()) });

interface SynthesisOptions {
  /** The service's folder, which contains its cdk.json. Default: the current folder. */
  folder?: string;
  /** The command that runs the CDK app. Default: the command in cdk.json. */
  app?: string;
  /** The values that `-c name=value` would set. */
  context?: Record<string, string>;
  /** The file with the settings and secrets of a local run. Default: none; settings then have their examples as values. */
  settingsFile?: string;
  /** Leaves out the code of endpoints. `loadFunctions` bundles it when the endpoints are called. */
  defersEndpoints?: boolean;
  /** Makes code caches, as `cdk synth` does. The functions then have the architecture of this machine. */
  makesCodeCaches?: boolean;
  /** Aborts the synthesis, which then fails. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs the build command and the CDK app as the CDK command line does. Returns the folder of the cloud assembly, which is `cdk.out`
 * in the given folder. First removes an earlier assembly from that folder.
 */
export const synthesise = async (
  dataDirectory: string,
  {
    folder = serviceFolder,
    app,
    context = {},
    settingsFile = "",
    defersEndpoints = false,
    makesCodeCaches = false,
    signal,
  }: SynthesisOptions = {},
): Promise<string> => {
  const directory = join(dataDirectory, "cdk.out");
  // Assets are named after their content, so old ones would pile up.
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const command = await buildService(folder, signal);
  await run(app ?? command, {
    cwd: folder,
    signal,
    env: {
      ...environmentIn(folder),
      CDK_OUTDIR: directory,
      // The local run finds the code by the asset's path in the metadata. The template itself names only a bucket.
      CDK_CONTEXT_JSON: JSON.stringify({
        ...(makesCodeCaches && { architecture: process.arch === "arm64" ? "arm64" : "x86_64" }),
        ...context,
        "aws:cdk:enable-asset-metadata": true,
        "aws:cdk:enable-path-metadata": true,
      }),
      // Validation takes 1.3 to 2 seconds. `cdk synth` and the tests do validate.
      CDK_VALIDATION: "false",
      DEFER_ENDPOINTS: `${defersEndpoints}`,
      CODE_CACHES: `${makesCodeCaches}`,
      // The options of a deployment must not affect a local run.
      IGNORE_OPTIONS_FILE: "true",
      LOCAL_SETTINGS_FILE: settingsFile,
    },
  });
  return directory;
};

/** Runs the build command in a service's cdk.json, which describes its API. Returns the command that runs its CDK app. */
export const buildService = async (folder: string = serviceFolder, signal?: AbortSignal): Promise<string> => {
  const { app, build } = await readCdkSettings(folder);
  if (build !== undefined) await run(build, { cwd: folder, signal, env: environmentIn(folder) });
  return app;
};

/** A shell runs the commands. Their `node` must be the Node.js of this process. */
const environmentIn = (folder: string): NodeJS.ProcessEnv => {
  const PATH = [dirname(process.execPath), join(folder, "node_modules/.bin"), process.env.PATH].join(delimiter);
  return { ...process.env, PATH };
};

const readCdkSettings = async (folder: string) => {
  const file = join(folder, "cdk.json");
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new LocalError(`${file} cannot be read: run the command in the folder of a service.`, { cause });
  });
  return cdkSettings.parse(JSON.parse(text));
};

const run = async (command: string, options: SpawnOptions): Promise<void> => {
  const child: ChildProcessByStdio<null, null, Readable> = spawn(command, {
    ...options,
    shell: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errorOutput = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errorOutput += text;
  });
  const [exitCode, signal] = await once(child, "close");
  if (exitCode === 0) return;
  throw new LocalError(
    `${errorOutput}\nThe stack could not be synthesised (${command} exited with ${signal ?? exitCode}): correct what it reports above.`,
  );
};

/**
 * Returns what differs between two cloud assemblies: the templates, only the sources of the bundled functions, or only pages of the
 * site. The comparison of templates ignores the code of functions: asset hashes, and the ids of function versions, which contain a
 * hash of the code. Some declarations, such as the end of a version, appear only in the sources of the functions.
 */
export const differenceOf = async (
  one: string,
  other: string,
): Promise<"template" | "declaration" | "page" | undefined> => {
  if ((await templatesOf(one)) !== (await templatesOf(other))) return "template";
  if ((await entriesOf(one)) !== (await entriesOf(other))) return "declaration";
  return (await siteOf(one)) === (await siteOf(other)) ? undefined : "page";
};

/** Reads all templates of a cloud assembly, in the order of their files. */
export const readTemplates = async (assemblyDirectory: string): Promise<string[]> => {
  const files = (await readdir(assemblyDirectory)).filter((file) => file.endsWith(".template.json")).toSorted();
  return Promise.all(files.map((file) => readFile(join(assemblyDirectory, file), "utf8")));
};

const templatesOf = async (assemblyDirectory: string): Promise<string> =>
  (await readTemplates(assemblyDirectory)).join("\n").replaceAll(codeHash, "hash");

const codeHash = /(?<=CurrentVersion[0-9A-F]{8})[0-9a-f]{32}|[0-9a-f]{64}/g;

const entriesOf = (assemblyDirectory: string): Promise<string> =>
  readFile(join(assemblyDirectory, bundledFunctionsFile), "utf8");

/**
 * Reads the table of the site's files, which contains a hash of each file, and the API description. See
 * lambdas/site/static-files.ts.
 */
const siteOf = async (assemblyDirectory: string): Promise<string> => {
  const folder = bundleFolderOf(assemblyDirectory, "site");
  return (await readFile(join(folder, "site.json"), "utf8")) + (await textIn(join(folder, "api-docs.json")));
};
