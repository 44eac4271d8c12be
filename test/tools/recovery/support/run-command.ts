import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { compileCache } from "../../../support/compile-cache.ts";
import { oncePerWorker } from "../../../support/once-per-worker.ts";
import type { CommandRun } from "./command-process.ts";

export interface CommandResult {
  output: string;
  messages: string;
  exitCode: number | null;
}

interface RunOptions {
  folder: string;
  environment: Record<string, string>;
}

const pathOf = (file: string) => fileURLToPath(new URL(`../../../../tools/recovery/${file}`, import.meta.url));

/** Only the given variables and Node.js's own cache. Without a home, there are no profiles of the user who runs the tests. */
const environmentOf = ({ folder, environment }: RunOptions) => ({
  HOME: folder,
  AWS_EC2_METADATA_DISABLED: "true",
  ...compileCache,
  ...environment,
});

/** Starts a command of tools/recovery in a process of its own, in a folder. */
export const startCommand = (file: string, words: string[], options: RunOptions) => {
  const child = spawn(process.execPath, [pathOf(file), ...words], {
    cwd: options.folder,
    env: environmentOf(options),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const result = (async (): Promise<CommandResult> => {
    const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { output, messages, exitCode: child.exitCode };
  })();
  return { child, result };
};

/** It ends when the worker does, which closes its channel. */
const startCommandProcess = () =>
  fork(new URL("command-process.ts", import.meta.url), { env: { ...compileCache }, execArgv: [] });

/** Runs a command in the process that all commands of a worker share, because starting one takes longer than the command. */
export const runCommand = async (file: string, words: string[], options: RunOptions): Promise<CommandResult> => {
  const shared = oncePerWorker("commands", startCommandProcess);
  const command: CommandRun = {
    file: pathOf(file),
    words,
    folder: options.folder,
    environment: environmentOf(options),
  };
  const reply = once(shared, "message");
  shared.send(command);
  const [result] = await reply;
  return result;
};
