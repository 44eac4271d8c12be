import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const revoke = action({
  contract: adminContract.revoke,
  summary: "Revokes a token, effective from the very next request. A token that has expired stays as it is.",
  uses: { tokens: ["revoke"] },
  input: z.strictObject({ token_id: tokenId }),
  example: { token_id: exampleToken.token_id },
  async run({ token_id }, { author, stores }) {
    const by = { revoked_at: new Date().toISOString(), revoked_by: author.by };
    const { token } = await stores.tokens.revoke(token_id, by, author);
    if (!token) throw new ApiError("token_not_found");
    return tokenAnswer(token);
  },
});
