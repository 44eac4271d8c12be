import * as z from "zod/mini";
import { tokenId } from "../admin/tokens/fields.ts";
import { type Action, type Actions, type Actor, usesOf } from "../declaration/action.ts";
import { ApiError, ValidationError } from "../errors/api-error.ts";
import { describeCause, log } from "../log.ts";
import { keyId } from "../resources/keys/fields.ts";
import { validate } from "../validation/validate.ts";
import { createStores } from "./stores.ts";

/** One act of an admin, whichever door it came through. */
export interface Act {
  name: string;
  fields: Record<string, unknown>;
  actor: Actor;
  /** The address that the admin acts from, where the door sees one. */
  sourceIp?: string | undefined;
  requestId: string;
}

/** Validates the fields of an act, performs it and logs who did what; a refusal is thrown as an `ApiError`. */
export type PerformAction = (act: Act) => Promise<unknown>;

export const actionPerformer = (actions: Actions): PerformAction => {
  const stores = createStores(usesOf(actions));
  const byName = new Map<string, Action>(Object.entries(actions));
  const oneOf = `The action must be one of ${[...byName.keys()].toSorted().join(", ")}.`;

  const perform = async ({ name, fields, actor, sourceIp }: Act): Promise<unknown> => {
    const action = byName.get(name);
    if (!action) throw new ValidationError({ action: [oneOf] });
    const input = validate(action.input, fields);
    if (!input.valid) throw new ValidationError(input.fields);
    return action.run(input.value, { actor, sourceIp, stores });
  };

  return async (act) => {
    const about = {
      message: "admin",
      request_id: act.requestId,
      ...(byName.has(act.name) && { action: act.name }),
      actor: act.actor,
      ...named(act.fields),
    };
    try {
      const answer = await perform(act);
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

/** Which token or key an act names, for the log line; whatever else its fields hold stays out of the log. */
const named = ({ token_id, key_id }: Record<string, unknown>) => ({
  token_id: z.safeParse(tokenId, token_id).data,
  key_id: z.safeParse(keyId, key_id).data,
});

/** Which token an answer is about: a new one's id is in no request. */
const told = z.object({ token_id: tokenId, predecessor_id: z.nullable(tokenId) });
