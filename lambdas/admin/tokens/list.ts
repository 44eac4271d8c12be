import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { isTokenId } from "../../resources/tokens/token-text.ts";
import { encodeCursor } from "../../validation/paging.ts";
import { adminContract } from "../contract.ts";
import { pageCursor, pageLimit } from "../fields.ts";
import { tokenResponse } from "./token-response.ts";

export const list = action({
  contract: adminContract.list,
  summary:
    "Returns a page of tokens, in no particular order. While there are more, next_cursor is where the next page begins.",
  uses: { tokens: ["list"] },
  input: z.strictObject({ limit: pageLimit, cursor: pageCursor(isTokenId) }),
  example: {},
  async run({ limit, cursor }, { stores }) {
    const { tokens, next } = await stores.tokens.list({ limit, after: cursor });
    return { tokens: tokens.map(tokenResponse), next_cursor: next === undefined ? null : encodeCursor(next) };
  },
});
