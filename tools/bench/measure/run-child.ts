import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";

const childFile = fileURLToPath(new URL("child.cjs", import.meta.url));

export interface Times {
  wallMicroseconds: number;
  /** User and system time of all threads of the process. */
  cpuMicroseconds: number;
}

export interface Sample {
  /** Loading the module. */
  load: Times;
  /** Loading the module and the first call. */
  cold: Times;
  /** All the calls after the warm-up. */
  warm: Times;
  /** Peak resident memory after the first call. */
  coldMegabytes: number;
  /** Peak resident memory at the end. */
  peakMegabytes: number;
}

interface Task {
  bundle: string;
  event: APIGatewayProxyEventV2;
  /** Calls before the timed ones, after the first. */
  warmUp?: number;
  /** Timed calls. */
  calls?: number;
}

/** The environment with which a child process finds its database and its task. */
export interface Surroundings {
  folder: string;
  endpoint: string;
  certificateFile: string;
}

/** Runs one function in a separate process and returns what it measured. */
export const sample = (task: Task, surroundings: Surroundings): Promise<Sample> =>
  runChild<Sample>({ warmUp: 0, calls: 0, ...task }, surroundings);

/** The response of a function to one event. */
export const answerTo = async (task: Task, surroundings: Surroundings): Promise<APIGatewayProxyStructuredResultV2> => {
  const { answer } = await runChild<{ answer: APIGatewayProxyStructuredResultV2 }>(
    { ...task, answerOnly: true },
    surroundings,
  );
  return answer;
};

const runChild = async <Result>(task: Task & { answerOnly?: true }, surroundings: Surroundings): Promise<Result> => {
  const { folder, endpoint, certificateFile } = surroundings;
  const taskFile = join(folder, "task.json");
  await writeFile(taskFile, JSON.stringify({ ...task, event: JSON.stringify(task.event) }));
  const child = spawn(process.execPath, [childFile, taskFile], {
    // Only the variables that Lambda sets, and none from this process.
    env: {
      AWS_REGION: "eu-central-1",
      AWS_DEFAULT_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "ASIAEXAMPLEEXAMPLEEX",
      AWS_SECRET_ACCESS_KEY: "0123456789abcdef0123456789abcdef01234567",
      AWS_SESSION_TOKEN: "session".repeat(60),
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      AWS_LAMBDA_FUNCTION_NAME: "bench",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
      AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
      LAMBDA_TASK_ROOT: folder,
      _X_AMZN_TRACE_ID: "Root=1-69203b52-3f6a1c2b4d5e6f7081920a3b;Parent=53995c3f42cd8ad8;Sampled=0",
      TZ: ":UTC",
      PATH: process.env.PATH,
      HOME: folder,
      KEYS_TABLE: "IntegrationApi-KeysTable",
      TOKENS_TABLE: "IntegrationApi-TokensTable",
      LIMITS_TABLE: "IntegrationApi-LimitsTable",
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
    // The log goes through a pipe, as in Lambda.
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  child.stdout?.resume();
  const result = child.stdio[3];
  if (!result || !("readable" in result) || !child.stderr) throw new Error("The child has no pipe for its result.");
  const [said, complaints, [exitCode]] = await Promise.all([text(result), text(child.stderr), once(child, "close")]);
  if (exitCode !== 0 || complaints !== "") throw new Error(`${task.bundle} failed (${exitCode}): ${complaints}`);
  return JSON.parse(said);
};
