import { isRecord } from "../../support/is-record.ts";
import { mayHaveOtherNumbers } from "./attribute-values.ts";
import { checkOperation } from "./operations.ts";
import { InvalidRequest, UnsupportedRequest } from "./refusals.ts";

export type RefusedRequest = { kind: "invalid"; message: string } | { kind: "unsupported"; what: string };

/** Whether a request goes to the engine, and with which text, or is refused. */
export type CheckedRequest = { kind: "supported"; text: string } | RefusedRequest;

/**
 * Checks that a request is in the subset of DynamoDB that the embedded database answers exactly, and refuses what DynamoDB
 * refuses and the engine does not. Anything that is not a DynamoDB request at all is left to the engine.
 *
 * @param target the header `x-amz-target`, such as `DynamoDB_20120810.GetItem`
 * @param text the body of the request
 * @param parsed the request as an object, which this function may change
 */
export const checkRequest = (target: string | undefined, text: string, parsed: unknown): CheckedRequest => {
  if (target === undefined || !isRecord(parsed)) return { kind: "supported", text };
  const [version, operation = ""] = target.split(".");
  if (version !== "DynamoDB_20120810") return { kind: "unsupported", what: target };
  try {
    checkOperation(operation, parsed);
  } catch (error) {
    return refusedBy(error, operation);
  }
  return { kind: "supported", text: mayHaveOtherNumbers(text) ? JSON.stringify(parsed) : text };
};

/** The verdict for a request whose check has failed. Throws any other error again. */
export const refusedBy = (error: unknown, operation: string): RefusedRequest => {
  if (error instanceof InvalidRequest) return { kind: "invalid", message: error.message };
  if (!(error instanceof UnsupportedRequest)) throw error;
  return { kind: "unsupported", what: error.message ? `${operation} with ${error.message}` : operation };
};
