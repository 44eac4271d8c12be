import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { compileCache } from "../../../support/compile-cache.ts";

export interface CommandResult {
  output: string;
  messages: string;
  exitCode: number | null;
}

interface RunOptions {
  folder: string;
  environment: Record<string, string>;
}

/** Starts a command of tools/recovery in a folder, with nothing in its environment but what is given and Node.js's own cache. */
export const startCommand = (file: string, words: string[], { folder, environment }: RunOptions) => {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL(`../../../../tools/recovery/${file}`, import.meta.url)), ...words],
    // Without a home, there are no profiles of the user who runs the tests.
    {
      cwd: folder,
      env: {
        HOME: folder,
        AWS_EC2_METADATA_DISABLED: "true",
        ...compileCache,
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const result = (async (): Promise<CommandResult> => {
    const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { output, messages, exitCode: child.exitCode };
  })();
  return { child, result };
};

export const runCommand = (file: string, words: string[], options: RunOptions): Promise<CommandResult> =>
  startCommand(file, words, options).result;
