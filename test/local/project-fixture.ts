import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { App, Duration, Stack } from "aws-cdk-lib";
import { HttpApi, HttpMethod } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { AttributeType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda";
import { Schedule, ScheduleExpression } from "aws-cdk-lib/aws-scheduler";
import { LambdaInvoke } from "aws-cdk-lib/aws-scheduler-targets";
import { Topic } from "aws-cdk-lib/aws-sns";
import { onTestFinished } from "vitest";
import { copyProject } from "../../tools/support/copy-project.ts";
import { compileCache } from "../support/compile-cache.ts";
import { makeOnce } from "../support/stages.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** A folder that is removed after the test. */
export const temporaryDirectory = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "local-"));
  // A process that has just ended may still have been writing.
  onTestFinished(() => rm(directory, { recursive: true, maxRetries: 5 }));
  return directory;
};

// Issues "tokens" into a table as the real admin function does, so that a later start can find them.
const adminCode = `
const { DynamoDBClient, PutItemCommand, ScanCommand } = require("@aws-sdk/client-dynamodb");
const database = new DynamoDBClient({});
exports.handler = async ({ action, ...fields }) => {
  if (action === "issue") {
    console.log("issued by", fields.invoked_by);
    const id = { S: fields.id ?? "first" };
    await database.send(new PutItemCommand({ TableName: process.env.TABLE, Item: { id, ip: { S: fields.ip } } }));
    return { token: "itk_example" };
  }
  const { Items } = await database.send(new ScanCommand({ TableName: process.env.TABLE }));
  return { tokens: Items.map(({ id }) => id.S) };
};`;

// Logs that it runs, and responds once the file `go` is in the folder that the query names.
const slowCode = `
const { existsSync, watch } = require("node:fs");
exports.handler = ({ queryStringParameters: { folder } }) => new Promise((resolve) => {
  const look = () => existsSync(folder + "/go") && resolve("done");
  watch(folder, look);
  console.log("waiting");
  look();
});`;

// Publishes the time.
const dailyCode = `
const { SNSClient, PublishCommand } = require("@aws-sdk/client-sns");
const topic = new SNSClient({});
exports.handler = () =>
  topic.send(new PublishCommand({ TopicArn: process.env.TOPIC, Subject: "Daily", Message: new Date().toISOString() }));`;

/** Synthesises an app with an admin function, one slow route, and a function that publishes a message once a day. */
const synthesise = async (folder: string): Promise<string> => {
  const functionsFolder = await temporaryDirectory();
  const context = { "aws:cdk:enable-asset-metadata": true, "aws:cdk:enable-path-metadata": true };
  const app = new App({
    outdir: folder,
    context,
    analyticsReporting: false,
    builtinCloudFormationValidation: false,
  });
  const stack = new Stack(app, "Project");
  const table = new TableV2(stack, "tokens", { partitionKey: { name: "id", type: AttributeType.STRING } });
  const topic = new Topic(stack, "notices", { enforceSSL: true });
  const addFunction = async (name: string, code: string) => {
    const codeDirectory = join(functionsFolder, name);
    await mkdir(codeDirectory, { recursive: true });
    await writeFile(join(codeDirectory, "index.js"), code);
    return new LambdaFunction(stack, name, {
      code: Code.fromAsset(codeDirectory),
      handler: "index.handler",
      runtime: Runtime.NODEJS_24_X,
      timeout: Duration.seconds(10),
      environment: { TABLE: table.tableName, TOPIC: topic.topicArn },
    });
  };
  table.grant(await addFunction("admin", adminCode), "dynamodb:PutItem", "dynamodb:Scan");
  const integration = new HttpLambdaIntegration("slow-integration", await addFunction("slow", slowCode));
  const daily = await addFunction("daily", dailyCode);
  topic.grantPublish(daily);
  const schedule = ScheduleExpression.cron({ hour: "6", minute: "0" });
  new Schedule(stack, "schedule", { schedule, target: new LambdaInvoke(daily) });
  new HttpApi(stack, "api").addRoutes({ path: "/slow", methods: [HttpMethod.GET], integration });
  return app.synth().directory;
};

/** A project with this repository's `local` folder and its own app. */
export const projectFixture = async (): Promise<string> => {
  const project = await temporaryDirectory();
  const assembly = await makeOnce("project fixture", synthesise);
  await cp(join(repository, "local"), join(project, "local"), { recursive: true });
  await symlink(join(repository, "node_modules"), join(project, "node_modules"));
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
  await writeFile(join(project, "cdk.json"), "{}");
  for (const shared of ["infra/build/bundles/assembly-files.ts", "lambdas/addresses.ts", "lambdas/errors/catalogue.ts"])
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

/** Runs a file of the project with the Node.js that runs the tests. The process does not outlive the test. */
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
