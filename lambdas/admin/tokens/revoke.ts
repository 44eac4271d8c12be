import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { revokeToken } from "../../domain/tokens/succession.ts";
import { exampleToken } from "../../domain/tokens/tokens-table.ts";
import { otherError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { tokenId } from "./token-fields.ts";
import { tokenResponse } from "./token-response.ts";

export const revoke = action({
  contract: adminContract.revoke,
  summary:
    "Revokes a token, effective from the very next request. A successor that the client is making at that moment ends as well; one that the token has already goes on. A token that has expired stays as it is.",
  uses: { tokens: ["find", "revoke"] },
  input: z.strictObject({ token_id: tokenId }),
  example: { token_id: exampleToken.token_id },
  async run({ token_id }, { author, stores }) {
    const seen = await stores.tokens.find(token_id);
    const token = seen && (await revokeToken(stores.tokens, seen, { by: author.by, author }));
    if (!token) throw otherError("token_not_found");
    return tokenResponse(token);
  },
});
