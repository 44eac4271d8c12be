import { type ChildProcessByStdio, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { LocalError } from "cdk-local-runner";
import * as z from "zod/mini";

/** The top of the project. */
export const projectDirectory = fileURLToPath(new URL("..", import.meta.url));

const cdkSettings = z.object({ build: z.optional(z.string()) });

interface SynthesisOptions {
  /** The CDK app, if it is not this project's own. */
  readonly appFile?: string;
  /** What `-c name=value` would set. */
  readonly context?: Readonly<Record<string, string>>;
}

/** Runs the build command and the CDK app as the CDK command line does, and gives the folder of the cloud assembly. */
export async function synthesise(
  dataDirectory: string,
  { appFile = join(projectDirectory, "infra/app.ts"), context = {} }: SynthesisOptions = {},
): Promise<string> {
  const directory = join(dataDirectory, "cdk.out");
  // Assets are named by their content and would pile up.
  await rm(directory, { recursive: true, force: true });
  const { build } = cdkSettings.parse(JSON.parse(await readFile(join(projectDirectory, "cdk.json"), "utf8")));
  // A command for a shell, in which `node` must be the Node.js that runs here.
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  if (build !== undefined) await run(build, [], { shell: true, env: { ...process.env, PATH } });
  await run(process.execPath, [appFile], {
    env: {
      ...process.env,
      CDK_OUTDIR: directory,
      // Without the asset's path in the metadata a template tells of a bucket only, which a local run has not.
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        "aws:cdk:enable-asset-metadata": true,
        "aws:cdk:enable-path-metadata": true,
      }),
      // Takes 1.3 to 2 seconds; `cdk synth` and the tests do validate.
      CDK_VALIDATION: "false",
    },
  });
  return directory;
}

async function run(command: string, words: readonly string[], options: SpawnOptions): Promise<void> {
  const child: ChildProcessByStdio<null, null, Readable> = spawn(command, words, {
    ...options,
    cwd: projectDirectory,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let complaints = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  const [exitCode, signal] = await once(child, "close");
  if (exitCode === 0) return;
  throw new LocalError(
    `${complaints}\nThe stack could not be synthesised (${[command, ...words].join(" ")} ended with ${signal ?? exitCode}): mend what it says above.`,
  );
}
