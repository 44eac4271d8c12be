import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { tokenState } from "../../resources/tokens/token-state.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { rateLimit, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const update = action({
  contract: adminContract.update,
  summary:
    "Sets how many requests a token may send per minute, effective from the very next one; null removes the limit.",
  uses: { tokens: ["update"] },
  input: z.strictObject({ token_id: tokenId, rate_limit: rateLimit }),
  example: { token_id: exampleToken.token_id, rate_limit: 600 },
  async run({ token_id, rate_limit }, { actor, stores }) {
    const updated_at = new Date().toISOString();
    const { made, token } = await stores.tokens.update(token_id, { rate_limit, updated_at, updated_by: actor });
    if (!token) throw new ApiError("token_not_found");
    if (!made) {
      const state = tokenState(token, new Date().toISOString());
      throw new ApiError("token_not_active", { values: { state } });
    }
    return tokenAnswer(token);
  },
});
