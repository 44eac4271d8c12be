import { pathToFileURL } from "node:url";

/** A command to run, as if in a process of its own. */
export interface CommandRun {
  file: string;
  words: string[];
  folder: string;
  environment: Record<string, string>;
}

/*
 * Runs commands one after the other in one process, which loads the AWS SDK only once. A command is a module that does its work
 * while it is evaluated, so each run evaluates the module again.
 */

const send = process.send?.bind(process);
let runs = 0;

const run = async ({ file, words, folder, environment }: CommandRun): Promise<void> => {
  const [output, messages]: [string[], string[]] = [[], []];
  process.chdir(folder);
  process.argv.splice(1, Infinity, file, ...words);
  process.env = { ...environment };
  process.exitCode = undefined;
  process.stdout.write = (text: string | Uint8Array) => output.push(String(text)) > 0;
  process.stderr.write = (text: string | Uint8Array) => messages.push(String(text)) > 0;
  runs += 1;
  try {
    await import(`${pathToFileURL(file)}?run=${runs}`);
  } catch (error) {
    messages.push(String(error));
    process.exitCode = 1;
  }
  for (const signal of ["SIGINT", "SIGTERM"]) process.removeAllListeners(signal);
  send?.({ output: output.join(""), messages: messages.join(""), exitCode: process.exitCode ?? 0 });
};

process.on("message", (command: CommandRun) => void run(command));
