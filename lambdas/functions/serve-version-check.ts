import type { Context } from "aws-lambda";
import { requireVariable } from "../environment.ts";
import { describeCause, log } from "../log.ts";
import { connectToAws, type Hook } from "./version-check/aws-services.ts";
import { contains } from "./version-check/contains.ts";

/** A request that a new version must answer before it gets any calls. It changes no data. */
export interface VersionCheck {
  request: unknown;
  /** What the answer must contain: see `contains`. */
  answer: unknown;
}

/** The environment variable with the new version of each function: `{"site": "IntegrationApi-site-x7:12"}`. */
export const versionsVariable = "NEW_VERSIONS";

/** What CodeDeploy sends to a hook. */
interface HookEvent {
  DeploymentId: string;
  LifecycleEventHookExecutionId: string;
}

/** Left of the function's time to report, whatever happens to the check. */
const reserveMilliseconds = 10_000;

/**
 * The Lambda handler that CodeDeploy calls before it shifts traffic to a new version of a function. It sends the version
 * requests and compares the answers. Anything else than the expected answers stops the deployment.
 *
 * A deployment group has the name of its function, which is how the handler finds out which version to check.
 */
export const serveVersionCheck = (checks: Readonly<Record<string, readonly VersionCheck[]>>) => {
  const versions: Readonly<Record<string, string>> = JSON.parse(requireVariable(versionsVariable));
  const aws = connectToAws();

  const check = async (deploymentId: string, signal: AbortSignal): Promise<void> => {
    const name = await aws.deploymentGroupOf(deploymentId, signal);
    const version = versions[name];
    const checksOfFunction = checks[name] ?? [];
    if (version === undefined || checksOfFunction.length === 0) {
      throw new Error(`There is no check for the deployment group "${name}".`);
    }
    for (const { request, answer } of checksOfFunction) {
      const { isFailure, payload } = await aws.invoke(version, request, signal);
      if (isFailure || !contains(payload, answer)) {
        throw new Error(`${version} answered ${shortened(payload)} instead of ${JSON.stringify(answer)}.`);
      }
    }
    log("info", { message: "version_checked", version });
  };

  return async (event: HookEvent, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    const hook: Hook = {
      deploymentId: event.DeploymentId,
      lifecycleEventHookExecutionId: event.LifecycleEventHookExecutionId,
    };
    const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - reserveMilliseconds);
    try {
      await check(hook.deploymentId, signal);
    } catch (error) {
      log("error", { message: "version_check_failed", deployment_id: hook.deploymentId, cause: describeCause(error) });
      return aws.report(hook, "Failed");
    }
    await aws.report(hook, "Succeeded");
  };
};

const shortened = (payload: unknown): string => JSON.stringify(payload).slice(0, 1000);
