import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { ApiResponse } from "../../../lambdas/middlewares/request.ts";
import { type RequestName, requests } from "./requests.ts";

const childFile = fileURLToPath(new URL("child.cjs", import.meta.url));

/** The flags with which Lambda starts Node.js for a function with 512 MB. */
export const lambdaFlags = [
  "--expose-gc",
  "--max-http-header-size=81920",
  "--max-semi-space-size=32",
  "--max-old-space-size=460",
];

/** The subject of a measurement: the bundle that serves each request. */
export interface Contender {
  name: string;
  files: Record<RequestName, string>;
  kilobytes: number;
}

/** CPU time is user and system time of all threads of the process. */
type Times = Record<"wallMicroseconds" | "cpuMicroseconds", number>;

export interface Sample {
  response: ApiResponse;
  /** Loading the module. */
  load: Times;
  /** Loading the module and the first call. */
  cold: Times;
  /** All calls after the warm-up. */
  warm: Times;
  /** Peak resident memory at the end of the run. */
  peakMegabytes: number;
}

/** The environment in which a child process finds its database and its task. */
export interface Surroundings {
  folder: string;
  endpoint: string;
  certificateFile: string;
}

interface Task {
  bundle: string;
  request: RequestName;
  /** The number of untimed calls between the first call and the timed calls. */
  warmUp: number;
  /** The number of timed calls. */
  calls: number;
}

/** Runs one function in a separate process, which fails if the response has an unexpected status. */
export const runChild = async (
  { request, ...task }: Task,
  { folder, endpoint, certificateFile }: Surroundings,
): Promise<Sample> => {
  const taskFile = join(folder, "task.json");
  const { event, status } = requests[request];
  await writeFile(taskFile, JSON.stringify({ ...task, event: JSON.stringify(event), status }));
  const words = [...lambdaFlags, childFile, taskFile];
  // The log goes through a pipe, as in Lambda. The result follows it.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, words, {
    maxBuffer: 2 ** 26,
    // Only the variables that Lambda sets, without those of this process.
    env: {
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "ASIAEXAMPLEEXAMPLEEX",
      AWS_SECRET_ACCESS_KEY: "0123456789abcdef0123456789abcdef01234567",
      AWS_SESSION_TOKEN: "session".repeat(60),
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      AWS_LAMBDA_FUNCTION_NAME: "bench",
      _X_AMZN_TRACE_ID: "Root=1-69203b52-3f6a1c2b4d5e6f7081920a3b;Parent=53995c3f42cd8ad8;Sampled=0",
      HOME: folder,
      KEYS_TABLE: "IntegrationApi-KeysTable",
      TOKENS_TABLE: "IntegrationApi-TokensTable",
      LIMITS_TABLE: "IntegrationApi-LimitsTable",
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
  });
  if (stderr !== "") throw new Error(`${task.bundle} complains: ${stderr}`);
  return JSON.parse(stdout.split("\n").at(-1) ?? "");
};

/**
 * Measures every contender in each round, each time in a new process. Each round begins with a different contender, so that
 * anything that slows the machine down for a while affects all of them. Returns a sample for each round, by contender.
 */
export const runRounds = async (
  contenders: readonly Contender[],
  { rounds, ...task }: Omit<Task, "bundle"> & { rounds: number },
  surroundings: Surroundings,
): Promise<Map<Contender, Sample[]>> => {
  const samples = new Map<Contender, Sample[]>(contenders.map((contender) => [contender, []]));
  for (let round = 0; round < rounds; round += 1) {
    const first = round % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const bundle = contender.files[task.request];
      samples.get(contender)?.push(await runChild({ bundle, ...task }, surroundings));
    }
  }
  return samples;
};
