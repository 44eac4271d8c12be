import * as z from "zod/mini";
import { type Actions, usesOf } from "../declaration/action.ts";
import { createExistingStores, type ExistingStoresOptions } from "../domain/create-stores.ts";
import { keyId } from "../domain/keys/key-fields.ts";
import * as tables from "../domain/tables.ts";
import { canonicalIp } from "../domain/tokens/ip-address.ts";
import { ApiError, ValidationError } from "../shared/errors/api-error.ts";
import { ArgumentRefused } from "../shared/errors/argument-refused.ts";
import { audit, describeCause, log } from "../shared/log.ts";
import { wordIssue } from "../shared/validation/issue-words.ts";
import { declaredFields } from "../shared/validation/response-body.ts";
import { validate } from "../shared/validation/validate.ts";
import { tokenId } from "./tokens/token-fields.ts";

/** An admin's request, by invocation or over HTTP. */
export interface AdminRequest {
  /** The action's name. */
  name: string;
  fields: Record<string, unknown>;
  /**
   * Who acts, as it is recorded: the user's name, or `invoke:<request id>`, optionally followed by `:` and the name that the invoker
   * passed. CloudTrail links the request id to an IAM principal.
   */
  actor: string;
  /** The admin's IP address, if known. */
  sourceIp?: string | undefined;
  requestId: string;
}

/** Validates a request's fields, performs the action, and logs who did what. Throws an `ApiError` if the request is rejected. */
export type PerformAction = (request: AdminRequest) => Promise<unknown>;

export const actionPerformer = (actions: Actions, storesOptions?: ExistingStoresOptions): PerformAction => {
  const stores = createExistingStores(usesOf(actions), tables, storesOptions);
  const byName = new Map(
    Object.entries(actions).map(([name, action]) => {
      const { response } = action.contract;
      return [name, { action, copyDeclared: response ? declaredFields(response) : () => undefined }];
    }),
  );
  const oneOf = `The action must be one of ${[...byName.keys()].toSorted().join(", ")}.`;

  const perform = async ({ name, fields, actor, sourceIp, requestId }: AdminRequest): Promise<unknown> => {
    const found = byName.get(name);
    if (!found) throw new ValidationError({ action: [oneOf] });
    const { action, copyDeclared } = found;
    const input = validate(action.input, fields, { words: wordIssue });
    if (!input.valid) throw new ValidationError(input.fields);
    const from = sourceIp === undefined ? undefined : canonicalIp(sourceIp);
    const author = { by: actor, from, requestId };
    try {
      return copyDeclared(await action.run(input.value, { author, sourceIp, stores }));
    } catch (error) {
      const fields = error instanceof ArgumentRefused ? error.fieldsIn(input.value) : undefined;
      throw fields ? new ValidationError(fields) : error;
    }
  };

  return async (request) => {
    const line = {
      message: "admin",
      request_id: request.requestId,
      ...(byName.has(request.name) && { action: request.name }),
      actor: request.actor,
      ...subjectOf(request.fields),
    };
    try {
      const result = await perform(request);
      audit({ ...line, ...z.safeParse(auditFields, result).data });
      return result;
    } catch (error) {
      const refusal = error instanceof ApiError ? error : new ApiError("internal_error", { cause: error });
      const { code, cause } = refusal;
      if (refusal.status < 500) audit({ ...line, code });
      else log("error", { ...line, code, cause: describeCause(cause) });
      throw refusal;
    }
  };
};

/** Returns the token or key that a request names, for the log line. Other fields may be secret and are not logged. */
const subjectOf = ({ token_id, key_id }: Record<string, unknown>) => ({
  token_id: z.safeParse(tokenId, token_id).data,
  key_id: z.safeParse(keyId, key_id).data,
});

/** The token that a result is about. The request for a new token cannot contain its id. */
const auditFields = z.object({ token_id: tokenId, predecessor_id: z.nullable(tokenId) });
