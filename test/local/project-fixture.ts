import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inject, onTestFinished } from "vitest";
import { compileCache } from "../support/compile-cache.ts";
import { copyProject } from "../support/copy-project.ts";
import { makeOnce } from "../support/stages.ts";
import { bundlesOf } from "../support/template.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** A folder that is removed after the test. */
export const temporaryDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "local-"));
  // A process that has just ended may still have been writing.
  onTestFinished(() => rm(directory, { recursive: true, maxRetries: 5 }));
  return directory;
};

// Logs that it runs. With the query `ends`, responds a moment after the service has begun to stop, and accepts no more connections.
const slowCode = `
const { connect } = require("node:net");
exports.handler = ({ rawQueryString, requestContext }) => new Promise((resolve) => {
  const [host, port] = requestContext.domainName.split(":");
  const look = () => {
    const socket = connect(port, host);
    socket.once("error", () => setTimeout(resolve, 100, "done"));
    socket.once("connect", () => {
      socket.destroy();
      setTimeout(look, 5);
    });
  };
  console.log("waiting");
  if (rawQueryString === "ends") look();
});`;

// Publishes the time.
const dailyCode = `
const { SNSClient, PublishCommand } = require("@aws-sdk/client-sns");
const topic = new SNSClient({});
exports.handler = () =>
  topic.send(
    new PublishCommand({ TopicArn: process.env.NOTICE_TOPIC_ARN, Subject: "Daily", Message: new Date().toISOString() }),
  );`;

/** The shared assembly, changed so that calls of unknown paths are slow and the daily function always publishes. */
const replaceFunctions = async (folder: string): Promise<string> => {
  await cp(inject("assemblyDirectory"), folder, { recursive: true });
  const bundles = await bundlesOf(folder);
  await writeFile(String(bundles.fallback), slowCode);
  await writeFile(String(bundles.notices), dailyCode);
  return folder;
};

/** A project with this repository's `local` folder and an app that is already synthesised. */
export const projectFixture = async (): Promise<string> => {
  const project = await temporaryDirectory();
  const assembly = await makeOnce("project fixture", replaceFunctions);
  await cp(join(repository, "local"), join(project, "local"), { recursive: true });
  await symlink(join(repository, "node_modules"), join(project, "node_modules"));
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
  await writeFile(join(project, "cdk.json"), '{ "app": "node infra/app.ts" }');
  const build = ["infra/bundles/assembly-files.ts", "lambdas/shared/project-folder.ts"];
  for (const shared of [...build, "lambdas/shared/addresses.ts", "lambdas/shared/errors/catalogue.ts"])
    await cp(join(repository, shared), join(project, shared));
  const app = `import { cpSync } from "node:fs";
    cpSync(${JSON.stringify(assembly)}, process.env.CDK_OUTDIR as string, { recursive: true });`;
  await writeFile(join(project, "infra/app.ts"), app);
  return project;
};

/** A copy of this repository, in which a test may change files. */
export const projectCopy = async (): Promise<string> => {
  const project = await temporaryDirectory();
  await copyProject(project);
  return project;
};

export interface Run {
  child: ChildProcess;
  output: () => string;
  /** Waits until the output contains the text or the process has ended. */
  says: (text: string) => Promise<string>;
  ended: Promise<number | null>;
}

/** Runs a project file with the Node.js that runs the tests. When the test ends, the process is stopped. */
export const run = (project: string, words: string[], environment: Record<string, string>): Run => {
  const { PATH } = process.env;
  const child = spawn(process.execPath, words, { cwd: project, env: { PATH, ...compileCache, ...environment } });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
  }
  const ended = once(child, "close").then(() => child.exitCode);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    ended,
    output: () => text,
    async says(wanted) {
      while (!text.includes(wanted) && child.exitCode === null && child.signalCode === null) {
        await Promise.race([once(child.stdout, "data"), once(child.stderr, "data"), ended]);
      }
      return text;
    },
  };
};

/** Starts the project's service. */
export const start = (project: string, port: number, environment: Record<string, string> = {}): Run =>
  run(project, ["local/start.mjs"], { PORT: String(port), ...environment });
