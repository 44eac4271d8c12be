import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type RequestName, requests } from "./requests.ts";

const childFile = fileURLToPath(new URL("child.cjs", import.meta.url));

/** The flags with which Lambda starts Node.js for a function with 512 MB. */
const lambdaFlags = [
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

/** What a function returned to API Gateway. */
interface Response {
  statusCode: number;
  headers: Record<string, string>;
  body: string;
  isBase64Encoded?: boolean;
}

export interface Sample {
  response: Response;
  /** Loading the module. */
  load: Times;
  /** Loading the module and the first call. */
  cold: Times;
  /** All calls after the warm-up. */
  warm: Times;
  /** Peak resident memory at the end of the run. */
  peakMegabytes: number;
  /** The size of the bundle. */
  kilobytes: number;
}

/** The environment in which a child process finds its database and its task. */
export interface Surroundings {
  folder: string;
  endpoint: string;
  certificateFile: string;
  /** More flags for Node.js. */
  flags?: readonly string[];
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
  { bundle, request, warmUp, calls }: Task,
  { folder, endpoint, certificateFile, flags = [] }: Surroundings,
): Promise<Omit<Sample, "kilobytes">> => {
  const taskFile = join(folder, "task.json");
  const { event, status } = requests[request];
  await writeFile(taskFile, JSON.stringify({ bundle, event: JSON.stringify(event), status, warmUp, calls }));
  const words = [...lambdaFlags, ...flags, childFile, taskFile];
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
  if (stderr !== "") throw new Error(`${bundle} complains: ${stderr}`);
  return JSON.parse(stdout.split("\n").at(-1) ?? "");
};

/** A sample for each round, by the contender's name. */
export type Samples = ReadonlyMap<string, readonly Sample[]>;

/**
 * Measures every contender in each round, each time in a new process. Each round begins with a different contender, so that
 * anything that slows the machine down for a while affects all of them.
 */
export const runRounds = async (
  contenders: readonly Contender[],
  { request, rounds, warmUp, calls }: Omit<Task, "bundle"> & { rounds: number },
  surroundings: Surroundings,
): Promise<Samples> => {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]));
  // The first round only warms up the operating system's file cache.
  for (let round = -1; round < rounds; round += 1) {
    const first = Math.max(round, 0) % contenders.length;
    for (const contender of [...contenders.slice(first), ...contenders.slice(0, first)]) {
      const isCounted = round >= 0;
      const task = {
        bundle: contender.files[request],
        request,
        ...(isCounted ? { warmUp, calls } : { warmUp: 0, calls: 0 }),
      };
      const one = await runChild(task, surroundings);
      if (isCounted) samples.get(contender.name)?.push({ ...one, kilobytes: contender.kilobytes });
    }
  }
  return samples;
};
