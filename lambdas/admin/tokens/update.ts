import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ValidationError } from "../../errors/api-error.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { requireChanged } from "./changed-token.ts";
import { comment, expiresAt, rateLimit, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

export const update = action({
  contract: adminContract.update,
  summary:
    "Changes the comment, the expiry or the rate limit of a token, effective from the very next request. Fields that are not sent stay as they are; null removes the expiry or the limit. The grace period decides when a rotated token ends, so its expiry cannot be changed.",
  uses: { tokens: ["update"] },
  input: z.strictObject({
    token_id: tokenId,
    comment: z.optional(comment),
    expires_at: z.optional(expiresAt),
    rate_limit: z.optional(rateLimit),
  }),
  example: { token_id: exampleToken.token_id, comment: "billing sync, staging", rate_limit: 600 },
  async run({ token_id, ...fields }, { actor, stores }) {
    if (Object.values(fields).every((value) => value === undefined))
      throw new ValidationError({ token_id: [oneNeeded] });
    const by = { updated_at: new Date().toISOString(), updated_by: actor };
    const change = await stores.tokens.update(token_id, { ...fields, ...by });
    return tokenAnswer(requireChanged(change));
  },
});

const oneNeeded = "The token_id must be sent with at least one of comment, expires_at and rate_limit.";
