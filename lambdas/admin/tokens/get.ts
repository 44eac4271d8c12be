import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const get = action({
  contract: adminContract.get,
  summary: "Returns the record of a token.",
  uses: { tokens: ["find"] },
  input: z.strictObject({ token_id: tokenId }),
  example: { token_id: "01KAK3Y0V9QX8M4N2R7T5W1Y0B" },
  async run({ token_id }, { stores }) {
    const record = await stores.tokens.find(token_id);
    if (!record) throw new ApiError("token_not_found");
    return tokenAnswer(record);
  },
});
