import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { ValidationError } from "../errors/api-error.ts";
import { validate } from "../validation/validate.ts";
import type { PerformAction } from "./perform-action.ts";

/** What an invocation sends: the name of an action, and the action's fields beside it. */
const call = z.looseObject({ action: z.optional(z.unknown()) });

/**
 * The actions by invocation: `{"action": "issue", "ip": "198.51.100.7"}`.
 *
 * IAM decides who may invoke the function. A refused request is a function error whose `errorType` is an error code of the
 * catalogue and whose message says what is wrong.
 */
export const adminInvocation =
  (perform: PerformAction) =>
  async (payload: unknown, { awsRequestId }: Pick<Context, "awsRequestId">): Promise<unknown> => {
    const { action, ...fields } = requireCall(payload);
    return perform({
      name: typeof action === "string" ? action : "",
      fields,
      actor: `invoke:${awsRequestId}`,
      requestId: awsRequestId,
    });
  };

const requireCall = (payload: unknown): z.output<typeof call> => {
  const result = validate(call, payload);
  if (!result.valid) throw new ValidationError(result.fields);
  return result.value;
};
