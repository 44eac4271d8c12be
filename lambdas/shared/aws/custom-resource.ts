import { setTimeout as wait } from "node:timers/promises";
import { AwsRefusal, connectToService } from "./connect-to-service.ts";

/** A CloudFormation custom-resource request. */
export interface ResourceRequest {
  RequestType: "Create" | "Update" | "Delete";
  /** The temporary URL to which the response is sent. */
  ResponseURL: string;
  StackId: string;
  RequestId: string;
  LogicalResourceId: string;
}

/**
 * Tells CloudFormation whether the deployment may continue, or why it may not.
 *
 * @param id must never change, because CloudFormation deletes a resource whose id has changed.
 */
export const report = async (
  { ResponseURL, StackId, RequestId, LogicalResourceId }: ResourceRequest,
  id: string,
  failure?: string,
): Promise<void> => {
  const answer = {
    Status: failure === undefined ? "SUCCESS" : "FAILED",
    ...(failure !== undefined && { Reason: failure.slice(0, 1000) }),
    PhysicalResourceId: id,
    StackId,
    RequestId,
    LogicalResourceId,
  };
  // A Buffer, so that fetch adds no Content-Type header. The URL's signature does not cover that header.
  const response = await fetch(ResponseURL, { method: "PUT", body: Buffer.from(JSON.stringify(answer)) });
  if (!response.ok) throw new AwsRefusal(response.status, `CloudFormation responded with ${response.status}.`);
};

/** The delays before retries. A permission that was just granted may take that long to work. */
const pauses = [500, 1_000, 2_000, 4_000, 8_000, 16_000];

/**
 * Returns CloudFormation's description of a stack, as XML. It is empty if there is no such stack.
 *
 * @throws {Error} if CloudFormation does not answer, even after half a minute.
 */
export const describeStack = async (stack: string, wasRefused = 0): Promise<string> => {
  const cloudFormation = connectToService("cloudformation", { retries: 3 });
  try {
    const response = await cloudFormation("/", {
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: `${new URLSearchParams({ Action: "DescribeStacks", Version: "2010-05-15", StackName: stack })}`,
    });
    const description = await response.text();
    if (!description.includes("<StackStatus>")) throw new Error("CloudFormation did not describe the stack.");
    return description;
  } catch (error) {
    if (error instanceof AwsRefusal && error.message.includes("does not exist")) return "";
    const pause = pauses[wasRefused];
    if (pause === undefined) throw error;
    await wait(pause);
    return describeStack(stack, wasRefused + 1);
  }
};

/** Checks whether a stack is being rolled back. CloudFormation sends the same requests for a rollback as for an update. */
export const isRollingBack = async (stackId: string): Promise<boolean> =>
  /<StackStatus>\w*ROLLBACK/.test(await describeStack(stackId));
