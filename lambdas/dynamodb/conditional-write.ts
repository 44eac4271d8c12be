import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { reach } from "./client.ts";

/** Awaits a write that has a condition, as `reach` does; `undefined` if the condition does not hold. */
export const reachIf = async <Output>(call: Promise<Output>): Promise<Output | undefined> => {
  try {
    return await reach(call);
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
};
