import { randomBytes } from "node:crypto";
import type { FunctionDefinition } from "../assembly/functions.ts";

/** The setup that a function's threads start with. */
export interface FunctionSetup {
  definition: FunctionDefinition;
  variables: RuntimeVariables;
  /** Finds the source map of the function's code. Called whenever a thread starts. */
  sourceMapOf: (functionName: string) => string | undefined;
  /** The milliseconds that the function's time is ahead, as a 64-bit integer that changes. */
  clock: SharedArrayBuffer;
  onLog: (text: string) => void;
}

/** How functions connect to the database and with which identity. */
export interface DatabaseAccess {
  region: string;
  endpoint: string;
  /** The keys to sign with. By default, a function signs with its name, so that the embedded database can identify it. */
  credentials?: {
    accessKeyId: string;
    secretAccessKey: string;
    sessionToken?: string;
  };
}

/** The complete environment of a function. */
export interface RuntimeVariables {
  AWS_LAMBDA_LOG_STREAM_NAME: string;
  [name: string]: string;
}

/** The addresses that functions connect to in a local run. */
export interface LocalAddresses {
  messagesUrl?: string;
  issuerUrl?: string;
}

/**
 * Returns Lambda's variables, followed by the template's.
 *
 * @param messagesUrl the address that takes messages and events; without it, a function connects to AWS
 * @param issuerUrl the address of the issuer of JWTs for workloads: see `workload-issuer.ts`
 */
export const runtimeVariables = (
  definition: FunctionDefinition,
  access: DatabaseAccess,
  { messagesUrl, issuerUrl }: LocalAddresses = {},
): RuntimeVariables => {
  const { name, codeDirectory, handler, memoryMegabytes, logGroup, runtime } = definition;
  const { accessKeyId = name, secretAccessKey = "local", sessionToken } = access.credentials ?? {};
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
  return {
    AWS_REGION: access.region,
    AWS_DEFAULT_REGION: access.region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    ...(sessionToken && { AWS_SESSION_TOKEN: sessionToken }),
    AWS_ENDPOINT_URL_DYNAMODB: access.endpoint,
    ...(messagesUrl && { AWS_ENDPOINT_URL_EVENTBRIDGE: messagesUrl, AWS_ENDPOINT_URL_SNS: messagesUrl }),
    ...(issuerUrl && { LOCAL_ISSUER: issuerUrl }),
    AWS_EXECUTION_ENV: `AWS_Lambda_${runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMegabytes),
    AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
    AWS_LAMBDA_LOG_GROUP_NAME: logGroup,
    AWS_LAMBDA_LOG_STREAM_NAME: `${day}/[$LATEST]${randomBytes(16).toString("hex")}`,
    LAMBDA_TASK_ROOT: codeDirectory,
    LANG: "en_US.UTF-8",
    TZ: ":UTC",
    _HANDLER: handler,
    ...definition.environment,
  };
};
