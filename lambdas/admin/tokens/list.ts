import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { cursor, encodeCursor } from "../../validation/paging.ts";
import { pageLimit } from "../fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const list = action({
  route: "GET /tokens",
  summary: "Answers a page of tokens, in no particular order. While there are more, next_cursor begins the next page.",
  uses: { tokens: ["list"] },
  input: z.strictObject({ limit: pageLimit, cursor }),
  async run({ limit, cursor }, { stores }) {
    const { tokens, next } = await stores.tokens.list({ limit, after: cursor });
    return { tokens: tokens.map(tokenAnswer), next_cursor: next === undefined ? null : encodeCursor(next) };
  },
});
