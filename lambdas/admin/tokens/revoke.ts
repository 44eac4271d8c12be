import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const revoke = action({
  route: "DELETE /tokens/{token_id}",
  summary: "Ends a token from the very next request on. A token that has ended stays as it is.",
  uses: { tokens: ["revoke", "find"] },
  input: z.strictObject({ token_id: tokenId }),
  async run({ token_id }, { actor, stores }) {
    const by = { revoked_at: new Date().toISOString(), revoked_by: actor };
    const record = (await stores.tokens.revoke(token_id, by)) ?? (await stores.tokens.find(token_id));
    if (!record) throw new ApiError("token_not_found");
    return tokenAnswer(record);
  },
});
