import { relative } from "node:path";
import { LocalError, messageOf } from "../packages/local-runner/src/local-error.ts";
import { type LocalService, startLocalService } from "../packages/local-runner/src/service.ts";
import { firstToken } from "./first-token.ts";
import { readSettings, type Settings } from "./settings.ts";
import { watchStarter } from "./starter.ts";
import { summaryOf } from "./summary.ts";

const sameSignalMilliseconds = 300;

const startedAt = performance.now();
let service: LocalService | undefined;
let stoppingSince: number | undefined;

process.on("SIGINT", stop);
process.on("SIGTERM", stop);
watchStarter(stop);

try {
  const settings = readSettings(process.env);
  write(`Synthesising the stack and starting it on port ${settings.port} …\n`);
  service = await startLocalService({ ...settings, log: write, onFailure: fail });
  const token = await firstToken(service);
  if (stoppingSince === undefined)
    write(summaryOf(service, { token, ...placeOf(settings), seconds: secondsSinceStart() }));
} catch (error) {
  fail(error);
}

// A second signal ends the process at once: the first one's work may be what hangs. npm may pass on the one that the
// terminal has sent to all, so that the same signal comes twice.
async function stop(): Promise<void> {
  if (stoppingSince !== undefined) {
    if (performance.now() - stoppingSince > sameSignalMilliseconds) process.exit(130);
    return;
  }
  stoppingSince = performance.now();
  try {
    await service?.close();
  } catch (error) {
    fail(error);
  }
  process.exit(0);
}

function fail(error: unknown): void {
  if (stoppingSince !== undefined) process.exit(0);
  process.stderr.write(error instanceof LocalError ? `${error.message}\n` : `${inspectUnknown(error)}\n`);
  process.exit(1);
}

// What is no LocalError is a fault of the local run itself, and its trace is what a maintainer needs.
function inspectUnknown(error: unknown): string {
  return error instanceof Error ? (error.stack ?? messageOf(error)) : String(error);
}

function write(text: string): void {
  process.stdout.write(text);
}

function placeOf({ dataDirectory, port }: Settings) {
  return { dataDirectory: relative(process.cwd(), dataDirectory) || dataDirectory, port };
}

function secondsSinceStart(): number {
  return (performance.now() - startedAt) / 1000;
}
