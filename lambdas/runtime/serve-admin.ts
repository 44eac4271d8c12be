import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { tokenId } from "../admin/fields.ts";
import { type Actions, usesOf } from "../declaration/action.ts";
import { validate } from "../declaration/validate.ts";
import { ApiError, ValidationError } from "../errors/api-error.ts";
import { describeCause, log } from "../log.ts";
import { createStores } from "./stores.ts";

/** What an invocation sends: the name of an action, and the action's own fields beside it. */
export type AdminHandler = (payload: unknown, context: Pick<Context, "awsRequestId">) => Promise<unknown>;

/**
 * The Lambda handler behind which admins act by invocation: `{"action": "issue", "ip": "198.51.100.7"}`.
 *
 * IAM decides who may invoke it. A refused request is a function error whose `errorType` is the code of the catalogue and
 * whose message says what is wrong.
 */
export const serveAdmin = (actions: Actions): AdminHandler => {
  const stores = createStores(usesOf(actions));
  const byName = new Map(Object.entries(actions));
  const oneOf = `must be one of ${[...byName.keys()].join(", ")}.`;
  const call = z.looseObject({ action: z.string(oneOf) });

  const perform = async (payload: unknown, requestId: string): Promise<unknown> => {
    const { action: name, ...fields } = requireValid(call, payload);
    const action = byName.get(name);
    if (!action) throw new ValidationError({ action: [`The action ${oneOf}`] });
    return action.run(requireValid(action.input, fields), { actor: `invoke:${requestId}`, stores });
  };

  return async (payload, { awsRequestId }) => {
    const about = { message: "admin", request_id: awsRequestId, ...requested(payload) };
    try {
      const answer = await perform(payload, awsRequestId);
      log("info", { ...about, ...z.safeParse(told, answer).data });
      return answer;
    } catch (error) {
      const refusal = error instanceof ApiError ? error : new ApiError("internal_error", { cause: error });
      const { code, cause } = refusal;
      if (refusal.status < 500) log("info", { ...about, code });
      else log("error", { ...about, code, cause: describeCause(cause) });
      throw refusal;
    }
  };
};

const named = z.object({
  action: z.string().check(z.maxLength(20)),
  token_id: z.optional(tokenId),
});

/** Which token an answer is about: a new one's id is in no request. */
const told = z.object({ token_id: tokenId, predecessor_id: z.nullable(tokenId) });

/** The action and the token that a payload names, for the log line; whatever else it holds stays out of the log. */
const requested = (payload: unknown) => z.safeParse(named, payload).data ?? {};

const requireValid = <Schema extends z.core.$ZodObject>(schema: Schema, fields: unknown): z.output<Schema> => {
  const result = validate(schema, fields);
  if (!result.valid) throw new ValidationError(result.fields);
  return result.value;
};
