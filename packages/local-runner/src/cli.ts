#!/usr/bin/env node
import { parseArgs, styleText } from "node:util";
import { type Application, readApplication } from "./assembly/application.ts";
import type { LocalService } from "./local-service.ts";
import { startLocalService } from "./service.ts";
import { localAwsEnvironment } from "./support/aws-environment.ts";
import { LocalError, messageOf } from "./support/local-error.ts";

const usage = `Usage: cdk-local-runner [FOLDER] [--port 3000] [--data .local] [--ignore WHAT ...]

Runs the serverless application of a CDK app on this machine. FOLDER is what "npx cdk synth" writes, by default cdk.out.

  --port    the port of the API; Lambda, DynamoDB and the login get the three ports after it
  --data    the folder of the data
  --ignore  starts without something that cannot run locally: a logical id or a resource type, or one of these with a
            property, such as Handler.VpcConfig. Give it several times, or with commas between the names.
`;

const highestPort = 65_532;
// The terminal sends a signal to all processes, and npx passes it on: the same one may come twice.
const sameSignalMilliseconds = 300;

const startedAt = performance.now();
let service: LocalService | undefined;
let stoppingSince: number | undefined;

const write = (text: string): void => {
  process.stdout.write(text);
};

const fail = (error: unknown, exitCode = 1): never => {
  if (!(error instanceof LocalError)) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  else {
    const options: Record<string, string> = { port: "--port", dataDirectory: "--data" };
    const option = options[error.option ?? ""];
    process.stderr.write(`${error.message}${option ? `\nTo choose another: ${option}` : ""}\n`);
  }
  process.exit(exitCode);
};

/** Ends the run; a second signal ends it at once. */
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
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const port = Number(values.port);
    if (!/^\d+$/.test(values.port) || port > highestPort) throw new LocalError(`${values.port} is not a port.`);
    if (positionals.length > 1) throw new LocalError("Only one folder can run.");
    const ignore = values.ignore.flatMap((list) => list.split(",")).filter((entry) => entry !== "");
    return { port, dataDirectory: values.data, ignore, help: values.help, assembly: positionals[0] ?? "cdk.out" };
  } catch (error) {
    return fail(new LocalError(`${messageOf(error)}\n\n${usage}`), 2);
  }
};

const bold = (text: string): string => styleText("bold", text, { stream: process.stdout });
const dim = (text: string): string => styleText("dim", text, { stream: process.stdout });

const section = (title: string, lines: string[]): string[] =>
  lines.length === 0 ? [] : ["", `  ${bold(title)}`, ...lines.map((line) => `  ${line}`)];

const summaryOf = (
  { baseUrl, invokeUrl, dynamodbUrl, loginUrl, logins }: LocalService,
  { api, functions, tables, schedules, ignored }: Application,
  dataDirectory: string,
): string => {
  const addresses = [
    ...(api === undefined ? [] : [["API", baseUrl]]),
    ["Lambda Invoke API", invokeUrl],
    ["DynamoDB", dynamodbUrl],
    ...(loginUrl === undefined ? [] : [["Login", loginUrl]]),
    ["Data folder", dataDirectory],
  ];
  const routes = (api?.routes ?? []).map(
    ({ routeKey, functionArn }) => `${routeKey.padEnd(24)} ${dim(functionArn.split(":").slice(6).join(":"))}`,
  );
  return [
    bold(`Ready in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`),
    "",
    ...addresses.map(([name = "", address]) => `  ${dim(name.padEnd(18))} ${address}`),
    ...section("Routes", routes),
    ...section(
      "Functions",
      functions.map(({ name }) => name),
    ),
    ...section(
      "Tables",
      tables.map(({ TableName }) => TableName),
    ),
    ...section(
      "Schedules",
      schedules.map(({ name }) => name),
    ),
    ...section(
      "Sign in with one of these names and passwords:",
      logins.map(({ username, password, groups }) => `${username}  ${password}  ${dim(groups.join(", "))}`),
    ),
    ...section("Ignored", ignored),
    "",
    "  Stop: Ctrl-C",
    "",
    "",
  ].join("\n");
};

const { help, ...options } = readWords();
if (help) {
  write(usage);
  process.exit();
}
process.on("SIGINT", stop);
process.on("SIGTERM", stop);
try {
  const { assembly, port, dataDirectory, ignore } = options;
  const urlOf = (number: number) => `http://127.0.0.1:${number}`;
  const places = { environment: localAwsEnvironment(), baseUrl: urlOf(port), loginUrl: urlOf(port + 3) };
  // Before any port or folder is taken.
  const application = await readApplication(assembly, places, ignore);
  service = await startLocalService({ ...options, log: write });
  if (stoppingSince === undefined) write(summaryOf(service, application, dataDirectory));
} catch (error) {
  fail(error);
}
