import { connectToService } from "../../aws/connect-to-service.ts";

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

/** They take some seconds if AWS is too busy. */
const retries = 8;

/** @throws {Error} naming the environment variable that is missing. */
export const connectToAws = (): AwsServices => {
  const codeDeploy = connectToService("codedeploy", { retries });
  const lambda = connectToService("lambda", { retries });

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
