import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleToken } from "../../domain/tokens/tokens-table.ts";
import { underTrust } from "../../domain/tokens/trust.ts";
import { otherError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { tokenId } from "./token-fields.ts";
import { tokenResponse } from "./token-response.ts";

export const get = action({
  contract: adminContract.get,
  summary: "Returns the record of a token.",
  uses: { tokens: ["find"] },
  input: z.strictObject({ token_id: tokenId }),
  example: { token_id: exampleToken.token_id },
  async run({ token_id }, { stores }) {
    const record = await stores.tokens.find(token_id);
    if (!record) throw otherError("token_not_found");
    return tokenResponse(await underTrust(record, stores.tokens));
  },
});
