import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import {
  apiResources,
  functionResources,
  tableResource,
  temporaryDirectory,
  writeAssembly,
} from "../../packages/local-runner/test/fixtures.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

// Issues "tokens" as the real admin function does, into a table, so that a later start can find them.
const adminCode = `
const { DynamoDBClient, PutItemCommand, ScanCommand } = require("@aws-sdk/client-dynamodb");
const database = new DynamoDBClient({});
exports.handler = async ({ action, ...fields }) => {
  if (action === "refuse") throw Object.assign(new Error("The ip field is required."), { name: "validation_failed" });
  if (action === "echo") return fields;
  if (action === "issue") {
    const id = { S: fields.id ?? "first" };
    await database.send(new PutItemCommand({ TableName: process.env.TABLE, Item: { id, ip: { S: fields.ip } } }));
    return { token: "itk_example" };
  }
  const { Items } = await database.send(new ScanCommand({ TableName: process.env.TABLE }));
  return { tokens: Items.map(({ id }) => id.S) };
};`;

const statements = [
  {
    Effect: "Allow",
    Action: ["dynamodb:PutItem", "dynamodb:Scan"],
    Resource: { "Fn::GetAtt": ["Tokens", "Arn"] },
  },
];

/** A project of its own: this repository's local runner, and an app with an admin function and one slow route. */
export async function projectFixture(): Promise<string> {
  const project = await temporaryDirectory();
  const properties = { Timeout: 10, Environment: { Variables: { TABLE: { Ref: "Tokens" } } } };
  const assembly = await writeAssembly(project, {
    resources: {
      ...functionResources("admin", { properties, statements }),
      ...functionResources("slow"),
      ...apiResources({ "GET /slow": "slow" }),
      Tokens: tableResource(),
    },
    code: {
      admin: { "index.js": adminCode },
      slow: { "index.mjs": "export const handler = () => new Promise((resolve) => setTimeout(resolve, 300, 'done'))" },
    },
  });
  await cp(join(repository, "local"), join(project, "local"), { recursive: true });
  await symlink(join(repository, "node_modules"), join(project, "node_modules"));
  await writeFile(join(project, "package.json"), '{ "type": "module" }');
  await writeFile(join(project, "cdk.json"), "{}");
  await mkdir(join(project, "infra"));
  const app = `import { cpSync } from "node:fs";
    cpSync(${JSON.stringify(assembly)}, process.env.CDK_OUTDIR as string, { recursive: true });`;
  await writeFile(join(project, "infra/app.ts"), app);
  return project;
}

export interface Run {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Waits until the output has the text, or the process has ended. */
  readonly says: (text: string) => Promise<string>;
  readonly ended: Promise<number | null>;
}

/** Runs a file of the project with the Node.js that runs the tests. The process does not outlive the test. */
export function run(project: string, words: readonly string[], environment: Record<string, string>): Run {
  const child = spawn(process.execPath, words, { cwd: project, env: { PATH: process.env.PATH ?? "", ...environment } });
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
}

/** Starts the project's service. */
export const start = (project: string, port: number, environment: Record<string, string> = {}): Run =>
  run(project, ["local/start.mjs"], { PORT: String(port), ...environment });

/** A port with three free ones after it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const free = await Promise.all([port, port + 1, port + 2, port + 3].map(isFree));
    if (free.every(Boolean)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
