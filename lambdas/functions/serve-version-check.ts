import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "aws-lambda";
import { AwsRefusal, connectToService } from "../aws/connect-to-service.ts";
import { describeCause, log } from "../log.ts";

/** A request that a new version must pass before it gets any calls. It changes no data. */
export interface VersionCheck {
  request: unknown;
  /** The required part of the response: see `contains`. */
  answer: unknown;
}

/** The properties that CloudFormation sends: the new version of each function, by the function's name. */
export interface CheckRequest extends ResourceRequest {
  ResourceProperties: { Versions: Readonly<Record<string, string>> };
}

/** The time reserved for reporting the result, whatever happens to the check. */
const reserveMilliseconds = 10_000;

/**
 * The Lambda handler that CloudFormation calls before traffic is shifted to the new versions of functions. It sends each
 * version its requests and compares the responses. Any unexpected response stops the deployment.
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
        throw new Error(`${version} responded with ${shortened(payload)} instead of ${JSON.stringify(answer)}.`);
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

/**
 * Whether a JSON value has everything that another one has: equal scalars, each field of an object, each element of an array.
 * If an object is expected and the value is a text, the text is read as JSON: the body of an HTTP response is a text.
 */
export const contains = (value: unknown, expected: unknown): boolean => {
  if (typeof expected !== "object" || expected === null) return value === expected;
  if (typeof value === "string") return contains(parse(value), expected);
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  const fields = new Map(Object.entries(value));
  return Object.entries(expected).every(([name, part]) => contains(fields.get(name), part));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const pauseMilliseconds = 500;

/** Lambda has no capacity, the version is not ready yet, or Lambda fails. */
const isTemporary = (error: unknown): boolean =>
  error instanceof AwsRefusal && (error.status === 409 || error.status === 429 || error.status >= 500);

/**
 * Connects to Lambda. A call that Lambda cannot take at the moment is repeated until its signal ends it: clients may use all the
 * capacity of a new account for minutes.
 *
 * @throws {Error} naming the environment variable that is missing.
 */
const connectToLambda = () => {
  const lambda = connectToService("lambda", { retries: 0 });
  /** Invokes `function:version`, and returns its response and whether the call failed. */
  return async (version: string, payload: unknown, signal: AbortSignal) => {
    const path = `/2015-03-31/functions/${encodeURIComponent(version)}/invocations`;
    while (true) {
      try {
        const response = await lambda(path, { body: JSON.stringify(payload), signal });
        const text = await response.text();
        const isFailure = response.headers.has("x-amz-function-error");
        const answer: unknown = text === "" ? null : JSON.parse(text);
        return { isFailure, payload: answer };
      } catch (error) {
        if (!isTemporary(error) || signal.aborted) throw error;
      }
      await wait(pauseMilliseconds, undefined, { signal });
    }
  };
};

/** A resource of a template, as CloudFormation asks a function to create, update or delete it. */
interface ResourceRequest {
  RequestType: "Create" | "Update" | "Delete";
  /** The address, valid for a while, at which CloudFormation waits for the response. */
  ResponseURL: string;
  StackId: string;
  RequestId: string;
  LogicalResourceId: string;
}

/** Tells CloudFormation whether the deployment may go on, or why not. */
const report = async (
  { ResponseURL, StackId, RequestId, LogicalResourceId }: ResourceRequest,
  failure?: string,
): Promise<void> => {
  const answer = {
    Status: failure === undefined ? "SUCCESS" : "FAILED",
    ...(failure !== undefined && { Reason: failure }),
    // The same each time: CloudFormation would delete a resource whose id has changed.
    PhysicalResourceId: "version-check",
    StackId,
    RequestId,
    LogicalResourceId,
  };
  // Sent as bytes, so that fetch adds no Content-Type: the address is not signed for one.
  const response = await fetch(ResponseURL, { method: "PUT", body: Buffer.from(JSON.stringify(answer)) });
  if (!response.ok) throw new AwsRefusal(response.status, `CloudFormation responded with ${response.status}.`);
};
