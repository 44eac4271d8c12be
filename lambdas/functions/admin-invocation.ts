import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { ValidationError } from "../errors/api-error.ts";
import { text, withoutControlCharacters } from "../validation/fields.ts";
import { validate } from "../validation/validate.ts";
import type { PerformAction } from "./perform-action.ts";

/** The name that the invoker gives. */
export const invokedBy = text({ min: 1, max: 100 }).check(
  withoutControlCharacters,
  z.meta({ description: "Who does it: recorded with a change, and not verified." }),
);

/** The payload of an invocation: the name of an action, optionally the name of a person, and the action's fields. */
const call = z.looseObject({ action: z.optional(z.unknown()), invoked_by: z.optional(invokedBy) });

/**
 * The actions by invocation: `{"action": "issue", "ip": "198.51.100.7"}`.
 *
 * IAM decides who may invoke the function. The name in `invoked_by` is recorded beside the request id but not verified:
 * CloudTrail ties the id to an IAM principal. A refused request is a function error whose `errorType` is an error code of the
 * catalogue and whose message says what is wrong.
 */
export const adminInvocation =
  (perform: PerformAction) =>
  async (payload: unknown, { awsRequestId }: Pick<Context, "awsRequestId">): Promise<unknown> => {
    const { action, invoked_by, ...fields } = requireCall(payload);
    return perform({
      name: typeof action === "string" ? action : "",
      fields,
      actor: `invoke:${awsRequestId}${invoked_by === undefined ? "" : `:${invoked_by}`}`,
      requestId: awsRequestId,
    });
  };

const requireCall = (payload: unknown): z.output<typeof call> => {
  const result = validate(call, payload);
  if (!result.valid) throw new ValidationError(result.fields);
  return result.value;
};
