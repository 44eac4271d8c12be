import type { ActionInput } from "../../../../lambdas/admin/action-input.ts";
import type { Token } from "../../../api/types.ts";

/** What an edit sends. */
export type TokenEdit = Omit<ActionInput<"update">, "token_id">;

/** The terms of a token that can be edited. */
export type EditableTerms = Required<TokenEdit>;

/** The fields that differ from the token's, so that an edit does not undo what someone else has changed in the others. */
export const editedFields = (token: Token, { comment, expires_at, rate_limit }: EditableTerms): TokenEdit => ({
  ...(comment !== token.comment && { comment }),
  ...(expires_at !== token.expires_at && { expires_at }),
  ...(rate_limit !== token.rate_limit && { rate_limit }),
});
