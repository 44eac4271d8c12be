#!/usr/bin/env node
import { watchFile } from "node:fs";
import { join } from "node:path";
import { parseArgs, styleText } from "node:util";
import { type Application, readApplication } from "./assembly/application.ts";
import type { LocalService } from "./local-service.ts";
import { startLocalService } from "./service.ts";
import { localAwsEnvironment } from "./support/aws-environment.ts";
import { host } from "./support/http-listener.ts";
import { LocalError, messageOf } from "./support/local-error.ts";

const usage = `Usage: cdk-local-runner [FOLDER] [--port 3000] [--data .local] [--ignore WHAT ...] [--watch]

Runs the serverless application of a CDK app on this machine. FOLDER is what "npx cdk synth" writes, by default cdk.out.

  --port    the port of the API; Lambda, DynamoDB and the login get the three ports after it
  --data    the folder of the data
  --ignore  starts without something that cannot run locally: the path of a construct, a logical id, a resource type, or
            one of the last two with a property, such as Handler.VpcConfig. Give it several times, or with commas.
  --watch   reloads the application whenever "npx cdk synth" has changed FOLDER
`;

const highestPort = 65_532;
// The terminal sends a signal to all processes and npx forwards it, so the same signal may arrive twice.
const sameSignalMilliseconds = 300;
const watchMilliseconds = 300;

const startedAt = performance.now();
let service: LocalService | undefined;
let stoppingSince: number | undefined;

const write = (text: string): void => {
  process.stdout.write(text);
};

const fail = (error: unknown): never => {
  const option = error instanceof LocalError && { port: "--port", dataDirectory: "--data" }[String(error.option)];
  const text = error instanceof LocalError || !(error instanceof Error) ? messageOf(error) : error.stack;
  process.stderr.write(`${text}${option ? `\nTo choose another: ${option}` : ""}\n`);
  process.exit(1);
};

/** Ends the run. A second signal ends it immediately. */
const stop = async (): Promise<void> => {
  if (stoppingSince !== undefined) {
    if (performance.now() - stoppingSince > sameSignalMilliseconds) process.exit(130);
    return;
  }
  stoppingSince = performance.now();
  await service?.close().catch(fail);
  process.exit(0);
};

const readWords = () => {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        port: { type: "string", default: "3000" },
        data: { type: "string", default: ".local" },
        ignore: { type: "string", multiple: true, default: [] },
        watch: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    if (!/^\d+$/.test(values.port) || Number(values.port) > highestPort || positionals.length > 1)
      throw new Error(usage);
    return { ...values, port: Number(values.port), assembly: positionals[0] ?? "cdk.out" };
  } catch (error) {
    return fail(new LocalError(messageOf(error)));
  }
};

/**
 * Reloads the application after each synthesis, which writes the manifest last. The manifest is polled, because the folder may be
 * deleted and created again.
 */
const reloadOnChange = (running: LocalService, assembly: string): void => {
  watchFile(join(assembly, "manifest.json"), { interval: watchMilliseconds }, ({ nlink }) => {
    if (nlink === 0) return;
    running.reload(assembly).then(
      () => write("Reloaded.\n"),
      (error: unknown) => write(`${messageOf(error)}\nThe service continues as it was.\n`),
    );
  });
};

const bold = (text: string): string => styleText("bold", text, { stream: process.stdout });
const dim = (text: string): string => styleText("dim", text, { stream: process.stdout });

const table = (rows: [name: string, value: string | undefined][]): string[] =>
  rows.flatMap(([name, value]) => (value ? [`  ${dim(name.padEnd(24))} ${value}`] : []));

const summaryOf = (service: LocalService, application: Application, dataDirectory: string): string => {
  const { api, schedules, ignored } = application;
  const nameIn = (functionArn: string) => functionArn.split(":").slice(6).join(":");
  const routes = table((api?.routes ?? []).map(({ routeKey, functionArn }) => [routeKey, nameIn(functionArn)]));
  const leftOut = ignored.length > 0 ? [`  ${dim("Ignored")}`, ...ignored.map((one) => `    ${one}`)] : [];
  const logins = table(service.logins.map(({ username, password }) => [`Login of ${username}`, password]));
  return [
    bold(`Ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`),
    "",
    ...table([
      ["API", api && service.baseUrl],
      ["Lambda Invoke API", service.invokeUrl],
      ["DynamoDB", service.dynamodbUrl],
      ["Login", service.loginUrl],
      ["Data folder", dataDirectory],
      ["Functions", service.functionNames.join(", ")],
      ["Tables", service.tableNames.join(", ")],
      ["Schedules", schedules.map(({ name }) => name).join(", ")],
    ]),
    ...[routes, logins, leftOut].filter((lines) => lines.length > 0).flatMap((lines) => ["", ...lines]),
    "",
    "  Stop: Ctrl-C\n\n",
  ].join("\n");
};

const { help, port, data: dataDirectory, assembly, ...words } = readWords();
if (help) {
  write(usage);
  process.exit();
}
if (Number.parseInt(process.versions.node, 10) < 24)
  fail(new LocalError(`cdk-local-runner needs Node.js 24, and this is ${process.version}.`));
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
try {
  const ignore = words.ignore.flatMap((list) => list.split(","));
  const [baseUrl, loginUrl] = [port, port + 3].map((number) => `http://${host}:${number}`);
  const places = { environment: localAwsEnvironment(), baseUrl: `${baseUrl}`, loginUrl: `${loginUrl}` };
  // Runs before any port or folder is taken.
  const application = await readApplication(assembly, places, ignore);
  service = await startLocalService({ port, dataDirectory, assembly, ignore, log: write });
  if (words.watch) reloadOnChange(service, assembly);
  if (stoppingSince === undefined) write(summaryOf(service, application, dataDirectory));
} catch (error) {
  fail(error);
}
