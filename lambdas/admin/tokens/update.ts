import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { tokenState } from "../../resources/tokens/token-state.ts";
import { rateLimit, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const update = action({
  route: "PUT /tokens/{token_id}",
  summary: "Limits how many requests a token may send in a minute, from the very next one on; null lifts the limit.",
  uses: { tokens: ["update", "find"] },
  input: z.strictObject({ token_id: tokenId, rate_limit: rateLimit }),
  async run({ token_id, rate_limit }, { actor, stores }) {
    const updated_at = new Date().toISOString();
    const updated = await stores.tokens.update(token_id, { rate_limit, updated_at, updated_by: actor });
    if (updated) return tokenAnswer(updated);
    const record = await stores.tokens.find(token_id);
    if (!record) throw new ApiError("token_not_found");
    throw new ApiError("token_not_active", { values: { state: tokenState(record, updated_at) } });
  },
});
