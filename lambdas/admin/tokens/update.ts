import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ValidationError } from "../../errors/api-error.ts";
import type { TokenUpdate } from "../../resources/tokens/token-store.ts";
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
  async run({ token_id, ...fields }, { author, stores }) {
    if (Object.values(fields).every((value) => value === undefined))
      throw new ValidationError({ token_id: [oneNeeded] });
    const by = { updated_at: new Date().toISOString(), updated_by: author.by };
    const note = { kind: "updated" as const, author, details: detailsOf(fields) };
    const change = await stores.tokens.update(token_id, { ...fields, ...by }, note);
    return tokenAnswer(requireChanged(change));
  },
});

/** The new values, except that of the comment: the record has it, and a history must stay small. */
const detailsOf = ({
  comment,
  expires_at,
  rate_limit,
}: Pick<TokenUpdate, "comment" | "expires_at" | "rate_limit">) => ({
  ...(comment !== undefined && { comment: "changed" }),
  ...(expires_at !== undefined && { expires_at: expires_at ?? "never" }),
  ...(rate_limit !== undefined && { rate_limit: rate_limit === null ? "none" : String(rate_limit) }),
});

const oneNeeded = "The token_id must be sent with at least one of comment, expires_at and rate_limit.";
