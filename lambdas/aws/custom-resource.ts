import { setTimeout as wait } from "node:timers/promises";
import { AwsRefusal, connectToService } from "./connect-to-service.ts";

/** CloudFormation's request to create, update or delete a custom resource. */
export interface ResourceRequest {
  RequestType: "Create" | "Update" | "Delete";
  /** A temporary URL on which CloudFormation waits for the response. */
  ResponseURL: string;
  StackId: string;
  RequestId: string;
  LogicalResourceId: string;
}

/**
 * Tells CloudFormation whether the deployment may continue, or why not.
 *
 * @param id must stay the same: CloudFormation would delete a resource whose id has changed.
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
  // Sent as bytes, so that fetch adds no Content-Type: the address is not signed for one.
  const response = await fetch(ResponseURL, { method: "PUT", body: Buffer.from(JSON.stringify(answer)) });
  if (!response.ok) throw new AwsRefusal(response.status, `CloudFormation responded with ${response.status}.`);
};

/** The pauses before further attempts. A right that was granted a moment ago may need that long to work. */
const pauses = [500, 1_000, 2_000, 4_000, 8_000, 16_000];

/**
 * Returns whether a stack is being rolled back. CloudFormation then sends the same requests as for an update.
 *
 * @throws {Error} if CloudFormation does not tell, even after half a minute.
 */
export const isRollingBack = async (stackId: string, wasRefused = 0): Promise<boolean> => {
  const cloudFormation = connectToService("cloudformation", { retries: 3 });
  try {
    const response = await cloudFormation("/", {
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      body: `${new URLSearchParams({ Action: "DescribeStacks", Version: "2010-05-15", StackName: stackId })}`,
    });
    const [, status] = /<StackStatus>(\w+)<\/StackStatus>/.exec(await response.text()) ?? [];
    if (status === undefined) throw new Error("CloudFormation did not say what state the stack is in.");
    return status.includes("ROLLBACK");
  } catch (error) {
    const pause = pauses[wasRefused];
    if (pause === undefined) throw error;
    await wait(pause);
    return isRollingBack(stackId, wasRefused + 1);
  }
};
