import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { isTokenId } from "../../resources/tokens/token-text.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { encodeCursor } from "../../validation/paging.ts";
import { adminContract } from "../contract.ts";
import { pageCursor, pageLimit } from "../fields.ts";
import { tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const get = action({
  contract: adminContract.get,
  summary: "Returns the record of a token.",
  uses: { tokens: ["find"] },
  input: z.strictObject({ token_id: tokenId }),
  example: { token_id: exampleToken.token_id },
  async run({ token_id }, { stores }) {
    const record = await stores.tokens.find(token_id);
    if (!record) throw new ApiError("token_not_found");
    return tokenAnswer(record);
  },
});

export const list = action({
  contract: adminContract.list,
  summary:
    "Returns a page of tokens, in no particular order. While there are more, next_cursor is where the next page begins.",
  uses: { tokens: ["list"] },
  input: z.strictObject({ limit: pageLimit, cursor: pageCursor(isTokenId) }),
  example: {},
  async run({ limit, cursor }, { stores }) {
    const { tokens, next } = await stores.tokens.list({ limit, after: cursor });
    return { tokens: tokens.map(tokenAnswer), next_cursor: next === undefined ? null : encodeCursor(next) };
  },
});
