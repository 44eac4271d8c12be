import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import type { Actions } from "../declaration/action.ts";
import type { ExistingStoresOptions } from "../domain/create-stores.ts";
import { withinInvocation } from "../dynamodb/client/deadline.ts";
import { ValidationError } from "../shared/errors/api-error.ts";
import { wordIssue } from "../shared/validation/issue-words.ts";
import { validate } from "../shared/validation/validate.ts";
import { invokedBy } from "./admin-fields.ts";
import { actionPerformer, type PerformAction } from "./perform-action.ts";

type AdminContext = Pick<Context, "awsRequestId" | "getRemainingTimeInMillis">;

export type AdminHandler = (payload: unknown, context: AdminContext) => Promise<unknown>;

/** Creates the Lambda handler of the admin function, which runs actions by invocation. */
export const serveAdmin = (actions: Actions, storesOptions?: ExistingStoresOptions): AdminHandler =>
  withinInvocation(adminInvocation(actionPerformer(actions, storesOptions)));

/** The payload of an invocation: an action's name, optionally a person's name, and the action's fields. */
const call = z.looseObject({ action: z.optional(z.unknown()), invoked_by: z.optional(invokedBy) });

/**
 * Runs actions by invocation: `{"action": "issue", "ip": "198.51.100.7"}`.
 *
 * IAM decides who may invoke the function, but Lambda does not pass on who the caller is. The recorded author is therefore the
 * request id, which CloudTrail links to an IAM principal. The name in `invoked_by` is recorded with the request id, unverified. A
 * rejected request is a function error: its `errorType` is an error code of the catalogue, and its message says what is wrong.
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
  const result = validate(call, payload, { words: wordIssue });
  if (!result.valid) throw new ValidationError(result.fields);
  return result.value;
};
