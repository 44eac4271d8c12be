import type { Context } from "aws-lambda";
import { describeCause, log } from "../log.ts";
import { connectToLambda, type ResourceRequest, report } from "./version-check/call-aws.ts";
import { contains } from "./version-check/contains.ts";

/** A request that a new version must answer before it gets any calls. It changes no data. */
export interface VersionCheck {
  request: unknown;
  /** What the answer must contain: see `contains`. */
  answer: unknown;
}

/** What CloudFormation sends: the new version of each function, by the function's name. */
interface CheckRequest extends ResourceRequest {
  ResourceProperties: { Versions: Readonly<Record<string, string>> };
}

/** Left of the function's time to report, whatever happens to the check. */
const reserveMilliseconds = 10_000;

/**
 * The Lambda handler that CloudFormation calls before traffic is shifted to the new versions of functions. It sends each version
 * its requests and compares the answers. Anything else than the expected answers stops the deployment.
 *
 * One version after another is checked, because a new account runs only ten functions at once. A version that fails is tried
 * again after all others: rights that were granted a moment ago may take some seconds to apply.
 */
export const serveVersionCheck = (checks: Readonly<Record<string, readonly VersionCheck[]>>) => {
  const invoke = connectToLambda();

  const check = async (name: string, version: string, signal: AbortSignal): Promise<void> => {
    const checksOfFunction = checks[name] ?? [];
    if (checksOfFunction.length === 0) throw new Error(`There is no check for the function "${name}".`);
    for (const { request, answer } of checksOfFunction) {
      const { isFailure, payload } = await invoke(version, request, signal);
      if (isFailure || !contains(payload, answer)) {
        throw new Error(`${version} answered ${shortened(payload)} instead of ${JSON.stringify(answer)}.`);
      }
    }
    log("info", { message: "version_checked", version });
  };

  return async (event: CheckRequest, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    if (event.RequestType === "Delete") return report(event);
    const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - reserveMilliseconds);
    const again: [string, string][] = [];
    try {
      for (const [name, version] of Object.entries(event.ResourceProperties.Versions)) {
        await check(name, version, signal).catch(() => again.push([name, version]));
      }
      for (const [name, version] of again) await check(name, version, signal);
    } catch (error) {
      const cause = describeCause(error);
      log("error", { message: "version_check_failed", cause });
      return report(event, cause.slice(0, 1000));
    }
    await report(event);
  };
};

const shortened = (payload: unknown): string => JSON.stringify(payload).slice(0, 1000);
