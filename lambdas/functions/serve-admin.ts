import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { invokedBy } from "../admin/fields.ts";
import type { Actions } from "../declaration/action.ts";
import { withinInvocation } from "../dynamodb/deadline.ts";
import { ValidationError } from "../errors/api-error.ts";
import { validate } from "../validation/validate.ts";
import type { ExistingStoresOptions } from "./create-existing-stores.ts";
import { actionPerformer, type PerformAction } from "./perform-action.ts";

type AdminContext = Pick<Context, "awsRequestId" | "getRemainingTimeInMillis">;

export type AdminHandler = (payload: unknown, context: AdminContext) => Promise<unknown>;

/** Creates the Lambda handler of the admin function, which runs actions by invocation. */
export const serveAdmin = (actions: Actions, storesOptions?: ExistingStoresOptions): AdminHandler =>
  withinInvocation(adminInvocation(actionPerformer(actions, storesOptions)));

/** The payload of an invocation: the name of an action, optionally the name of a person, and the action's fields. */
const call = z.looseObject({ action: z.optional(z.unknown()), invoked_by: z.optional(invokedBy) });

/**
 * The actions by invocation: `{"action": "issue", "ip": "198.51.100.7"}`.
 *
 * IAM decides who may invoke the function, but Lambda does not name the caller. So the author is the request id, which
 * CloudTrail ties to an IAM principal, and the name in `invoked_by` is recorded beside it without being verified. A refused
 * request is a function error whose `errorType` is an error code of the catalogue and whose message says what is wrong.
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
