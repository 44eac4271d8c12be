import { setTimeout as wait } from "node:timers/promises";
import { AwsRefusal, connectToService } from "../../aws/connect-to-service.ts";

/** What a version of a function answered, and whether it did so by failing. */
interface Outcome {
  isFailure: boolean;
  payload: unknown;
}

/** Invokes `function:version` and waits for its answer. */
export type Invoke = (version: string, payload: unknown, signal: AbortSignal) => Promise<Outcome>;

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
export const connectToLambda = (): Invoke => {
  const lambda = connectToService("lambda", { retries: 0 });
  return async (version, payload, signal) => {
    const path = `/2015-03-31/functions/${encodeURIComponent(version)}/invocations`;
    while (true) {
      try {
        const response = await lambda(path, { body: JSON.stringify(payload), signal });
        const text = await response.text();
        const isFailure = response.headers.has("x-amz-function-error");
        return { isFailure, payload: text === "" ? null : JSON.parse(text) };
      } catch (error) {
        if (!isTemporary(error) || signal.aborted) throw error;
      }
      await wait(pauseMilliseconds, undefined, { signal });
    }
  };
};

/** A resource of a template, as CloudFormation asks a function to create, update or delete it. */
export interface ResourceRequest {
  RequestType: "Create" | "Update" | "Delete";
  /** The address, valid for a while, at which CloudFormation waits for the answer. */
  ResponseURL: string;
  StackId: string;
  RequestId: string;
  LogicalResourceId: string;
}

/** Tells CloudFormation whether the deployment may go on, or why not. */
export const report = async (
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
  // Bytes have no Content-Type, for which the address is not signed.
  const response = await fetch(ResponseURL, { method: "PUT", body: Buffer.from(JSON.stringify(answer)) });
  if (!response.ok) throw new AwsRefusal(response.status, `CloudFormation answered ${response.status}.`);
};
