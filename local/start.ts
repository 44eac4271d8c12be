import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type LocalService, startLocalService } from "cdk-local-runner";
import { readExampleClient, sourceMapFile } from "../infra/bundles/assembly-files.ts";
import { releasedAssembly } from "../lambdas/shared/project-folder.ts";
import type { Development } from "./dev/development.ts";
import { exitWithParent } from "./exit-with-parent.ts";
import { helpIfAsked } from "./help-if-asked.ts";
import { functionLoader } from "./load-functions.ts";
import { failureText, readSettings, type Settings, secretsIn } from "./settings.ts";
import { firstToken, summaryOf } from "./summary.ts";
import { synthesise } from "./synthesise.ts";

const sameSignalMilliseconds = 300;

helpIfAsked(`Usage: npm start
       npm run dev

Starts the service on this machine, and prints its addresses and logins. npm run dev also applies each saved file.

Environment variables:
  PORT                       Port of the service, which also uses the next three (npm run dev: four). Default: 3000.
  DATA_DIR                   Data folder. Default: .local.
  AWS_ENDPOINT_URL_DYNAMODB  Another DynamoDB to use instead of the embedded one.
`);

const startedAt = performance.now();
let service: LocalService | undefined;
let development: Development | undefined;
let stoppingSince: number | undefined;
let isReady = false;

// A second signal ends the process at once, because the work after the first one may hang. The same signal may arrive twice,
// because the terminal sends it to all processes and npm may pass it on.
const stop = async (): Promise<void> => {
  if (stoppingSince !== undefined) {
    if (performance.now() - stoppingSince > sameSignalMilliseconds) process.exit(130);
    return;
  }
  stoppingSince = performance.now();
  try {
    await development?.close();
    await service?.close();
  } catch (error) {
    fail(error);
  }
  process.exit(0);
};

const fail = (error: unknown): void => {
  if (stoppingSince !== undefined) process.exit(0);
  process.stderr.write(`${failureText(error)}\n`);
  process.exit(1);
};

const write = (text: string): void => {
  process.stdout.write(text);
};

/** Skips the admin function's log lines about calls that the start itself makes. */
const log = (text: string): void => {
  if (isReady || !text.startsWith("[admin] ")) write(text);
};

const placeOf = ({ dataDirectory, port }: Settings) => ({
  dataDirectory: relative(process.cwd(), dataDirectory) || dataDirectory,
  port,
});

process.on("SIGINT", stop);
process.on("SIGTERM", stop);
exitWithParent(stop);

try {
  const settings = readSettings(process.env);
  const loader = await functionLoader(join(settings.dataDirectory, "functions"));
  if (process.argv.includes("--watch")) {
    const { createDevelopment } = await import("./dev/development.ts");
    development = createDevelopment({ ...settings, loader, write });
  }
  write(`${releasedAssembly ? "Starting" : "Synthesising the stack and starting it"} on port ${settings.port} …\n`);
  let assemblyDirectory = releasedAssembly ?? "";
  const assembly = async () => {
    if (releasedAssembly) return releasedAssembly;
    [assemblyDirectory] = await Promise.all([
      synthesise(settings.dataDirectory, { defersEndpoints: true, settingsFile: settings.settingsFile }),
      loader.prepare(),
      development?.start(),
    ]);
    return assemblyDirectory;
  };
  const sourceMapOf = (name: string) => {
    const file = development?.sourceMapOf(name) ?? loader.sourceMapOf(name) ?? sourceMapFile(assemblyDirectory, name);
    return existsSync(file) ? file : undefined;
  };
  service = await startLocalService({
    ...settings,
    ...development?.options,
    assembly,
    parameters: secretsIn(settings),
    makeCode: loader.makeCode,
    sourceMapOf,
    log,
    onFailure: fail,
  });
  await development?.follow(service, assemblyDirectory);
  const client = await readExampleClient(assemblyDirectory);
  const token = await firstToken(service, client);
  isReady = true;
  const seconds = (performance.now() - startedAt) / 1000;
  if (stoppingSince === undefined) write(summaryOf(service, { token, client, ...placeOf(settings), seconds }));
} catch (error) {
  fail(error);
}
