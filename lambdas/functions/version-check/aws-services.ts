import { AwsClient } from "aws4fetch";
import { requireVariable } from "../../environment.ts";

/** The environment variable with the domain of AWS's services: `amazonaws.com` in most regions. */
export const domainVariable = "AWS_DOMAIN";

type Verdict = "Succeeded" | "Failed";

/** A deployment's hook, as CodeDeploy names it. */
export interface Hook {
  deploymentId: string;
  lifecycleEventHookExecutionId: string;
}

/** What a version of a function answered, and whether it did so by failing. */
interface Outcome {
  isFailure: boolean;
  payload: unknown;
}

/** The calls to CodeDeploy and Lambda that a check makes. Each is repeated for some seconds if AWS is too busy for it. */
export interface AwsServices {
  /** The name of the deployment group that a deployment belongs to. */
  deploymentGroupOf(deploymentId: string, signal: AbortSignal): Promise<string>;
  /** Invokes `function:version` and waits for its answer. */
  invoke(version: string, payload: unknown, signal: AbortSignal): Promise<Outcome>;
  /** Tells CodeDeploy whether the deployment may go on. */
  report(hook: Hook, status: Verdict): Promise<void>;
}

/** @throws {Error} naming the environment variable that is missing. */
export const connectToAws = (): AwsServices => {
  const codeDeploy = connectTo("codedeploy", "AWS_ENDPOINT_URL_CODEDEPLOY");
  const lambda = connectTo("lambda", "AWS_ENDPOINT_URL_LAMBDA");

  const callCodeDeploy = (operation: string, input: object, signal?: AbortSignal): Promise<Response> =>
    codeDeploy("/", {
      body: JSON.stringify(input),
      headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": `CodeDeploy_20141006.${operation}` },
      ...(signal && { signal }),
    });

  return {
    async deploymentGroupOf(deploymentId, signal) {
      const response = await callCodeDeploy("GetDeployment", { deploymentId }, signal);
      const deployment = (await response.json()) as { deploymentInfo?: { deploymentGroupName?: string } };
      return deployment.deploymentInfo?.deploymentGroupName ?? "";
    },
    async invoke(version, payload, signal) {
      const path = `/2015-03-31/functions/${encodeURIComponent(version)}/invocations`;
      const response = await lambda(path, { body: JSON.stringify(payload), signal });
      const text = await response.text();
      return {
        isFailure: response.headers.has("x-amz-function-error"),
        payload: text === "" ? null : JSON.parse(text),
      };
    },
    async report(hook, status) {
      await callCodeDeploy("PutLifecycleEventHookExecutionStatus", { ...hook, status });
    },
  };
};

/** Sends signed requests to a service, at its address in the environment or else at its regular one. */
const connectTo = (service: string, addressVariable: string) => {
  const region = requireVariable("AWS_REGION");
  const { AWS_SESSION_TOKEN: sessionToken, [addressVariable]: address } = process.env;
  const client = new AwsClient({
    accessKeyId: requireVariable("AWS_ACCESS_KEY_ID"),
    secretAccessKey: requireVariable("AWS_SECRET_ACCESS_KEY"),
    ...(sessionToken && { sessionToken }),
    service,
    region,
    retries: 8,
  });
  const baseUrl = address || `https://${service}.${region}.${requireVariable(domainVariable)}`;

  return async (path: string, request: RequestInit): Promise<Response> => {
    const response = await client.fetch(`${baseUrl}${path}`, { method: "POST", ...request });
    if (response.ok) return response;
    throw new Error(`${service} answered ${response.status}: ${await response.text()}`);
  };
};
