import { setTimeout as wait } from "node:timers/promises";
import type { Context } from "aws-lambda";
import type { Proof } from "../domain/prove-rights.ts";
import { AwsRefusal, connectToService } from "../shared/aws/connect-to-service.ts";
import { isRollingBack, type ResourceRequest, report } from "../shared/aws/custom-resource.ts";
import { describeCause, log } from "../shared/log.ts";
import { parseJson } from "../shared/parse-json.ts";

/** A request that a new version must pass before it receives traffic. It changes no data. */
export interface VersionCheck {
  request: unknown;
  /** The part that the response must contain: see `contains`. */
  response: unknown;
}

/** CloudFormation's request, with the properties of the custom resource. */
export interface CheckRequest extends ResourceRequest {
  ResourceProperties: {
    /** The new version of each function, by function name. */
    Versions: Readonly<Record<string, string>>;
    /** How long a failing version is retried. */
    PatienceSeconds: string;
  };
}

/** The failure of a version that waits for an index. DynamoDB takes minutes to add one, and CloudFormation does not wait. */
class LacksIndex extends Error {
  override name = "LacksIndex";
}

/** The time reserved for reporting the result, whatever happens during the check. */
const reserveMilliseconds = 10_000;

const firstPauseMilliseconds = 500;
const longestPauseMilliseconds = 10_000;

/**
 * Creates the Lambda handler that CloudFormation calls before it shifts traffic to new versions of functions. It sends each version
 * its requests and compares the responses. Any unexpected response stops the deployment.
 *
 * Versions are checked one at a time, because a new account can run only ten functions at once. Failing versions are retried for a
 * while, because new permissions may need a few seconds to work, and rarely more than a minute. Versions that only wait for an
 * index are retried as long as the check may run. Rollbacks are not checked: they
 * return to versions that have already been checked, and a failure would leave the stack between two releases.
 */
export const serveVersionCheck = (checks: Readonly<Record<string, readonly VersionCheck[]>>) => {
  const invoke = connectToLambda();

  const check = async (name: string, version: string, signal: AbortSignal): Promise<void> => {
    const checksOfFunction = checks[name] ?? [];
    if (checksOfFunction.length === 0) throw new Error(`There is no check for the function "${name}".`);
    for (const { request, response } of checksOfFunction) {
      const { isFailure, payload } = await invoke(version, request, signal);
      if (lacksOnlyIndexes(payload)) {
        throw new LacksIndex(
          `${version} cannot query an index yet: ${shortened(payload)}. Wait until it is ACTIVE, and repeat the deployment. Create it if it is missing from a restored table.`,
        );
      }
      const secrets = secretsMissingIn(payload);
      if (secrets.length > 0) throw new Error(`${version} lacks secrets.\n${secrets.join("\n")}`);
      if (isFailure || !contains(payload, response)) {
        throw new Error(`${version} responded with ${shortened(payload)} instead of ${JSON.stringify(response)}.`);
      }
    }
    log("info", { message: "version_checked", version });
  };

  const checkAll = async (versions: [string, string][], patienceMilliseconds: number, checkMilliseconds: number) => {
    const signal = AbortSignal.timeout(checkMilliseconds);
    const end = Date.now() + checkMilliseconds;
    let waiting = versions;
    let patientUntil: number | undefined;
    for (let pause = firstPauseMilliseconds; ; pause = Math.min(2 * pause, longestPauseMilliseconds)) {
      const failed: [string, string][] = [];
      let failure: unknown;
      for (const [name, version] of waiting) {
        await check(name, version, signal).catch((error: unknown) => {
          failure ??= error;
          failed.push([name, version]);
        });
      }
      if (failed.length === 0) return;
      patientUntil ??= Date.now() + patienceMilliseconds;
      if (signal.aborted || Date.now() + pause > (failure instanceof LacksIndex ? end : patientUntil)) throw failure;
      await wait(pause, undefined, { signal });
      waiting = failed;
    }
  };

  return async (event: CheckRequest, context: Pick<Context, "getRemainingTimeInMillis">): Promise<void> => {
    const answer = (failure?: string) => report(event, "version-check", failure);
    if (event.RequestType === "Delete") return answer();
    if (event.RequestType === "Update" && (await isRollingBack(event.StackId).catch(() => false))) {
      log("warn", { message: "version_check_skipped", cause: "The stack is being rolled back." });
      return answer();
    }
    const { Versions, PatienceSeconds } = event.ResourceProperties;
    const remaining = context.getRemainingTimeInMillis() - reserveMilliseconds;
    try {
      await checkAll(Object.entries(Versions), Number(PatienceSeconds) * 1000, remaining);
    } catch (error) {
      const cause = describeCause(error);
      log("error", { message: "version_check_failed", cause });
      return answer(cause);
    }
    await answer();
  };
};

/** Checks whether a version has all rights but those on indexes. DynamoDB rejects queries of an index that it is still filling. */
const lacksOnlyIndexes = (payload: unknown): boolean => {
  if (!contains(payload, { proven: false, failures: [] })) return false;
  const { failures } = payload as Proof;
  return failures.length > 0 && failures.every((failure) => /^\w+ Query \w+: ValidationException$/.test(failure));
};

/** Returns the failures that name a secret and the command that sets it. */
const secretsMissingIn = (payload: unknown): string[] =>
  contains(payload, { proven: false, failures: [] })
    ? (payload as Proof).failures.filter((failure) => failure.startsWith("The secret "))
    : [];

const shortened = (payload: unknown): string => JSON.stringify(payload).slice(0, 1000);

/**
 * Checks whether a JSON value contains another: equal scalars, every field of an object, every element of an array. If an object is
 * expected and the value is a string, the string is parsed as JSON, because the body of an HTTP response is a string.
 */
export const contains = (value: unknown, expected: unknown): boolean => {
  if (typeof expected !== "object" || expected === null) return value === expected;
  if (typeof value === "string") return contains(parseJson(value), expected);
  if (typeof value !== "object" || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  const fields = new Map(Object.entries(value));
  return Object.entries(expected).every(([name, part]) => contains(fields.get(name), part));
};

const pauseMilliseconds = 500;

/** Checks for errors that mean that Lambda has no capacity, the version is not ready yet, or Lambda fails. */
const isTemporary = (error: unknown): boolean =>
  error instanceof AwsRefusal && (error.status === 409 || error.status === 429 || error.status >= 500);

/**
 * Connects to Lambda. Retries a call that Lambda cannot take at the moment, until its signal ends it, because clients may use all
 * the capacity of a new account for minutes.
 *
 * @throws {Error} naming the environment variable that is missing.
 */
const connectToLambda = () => {
  const lambda = connectToService("lambda", { retries: 0 });
  /** Invokes `function:version`. Returns its response, and whether the call failed. */
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
