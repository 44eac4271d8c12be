import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import type { TokenRecord, TokenUpdate } from "../../domain/tokens/token-store.ts";
import { exampleToken } from "../../domain/tokens/tokens-table.ts";
import { ValidationError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { editToken, requireUnrotated } from "./changed-token.ts";
import { comment, expiresAt, rateLimit, tokenId } from "./token-fields.ts";
import { tokenResponse } from "./token-response.ts";

export const update = action({
  contract: adminContract.update,
  summary:
    "Changes the comment, the expiry or the rate limit of a token, effective from the very next request. Fields that are not sent stay as they are; null removes the expiry or the limit. An expiry that is brought forward also ends every successor, until it is edited again. The grace period decides when a rotated token ends, so its expiry cannot be changed.",
  uses: { tokens: ["find", "update"] },
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
    const token = await editToken(stores.tokens, {
      token_id,
      note: { kind: "updated", author, details: detailsOf(fields) },
      edit: (seen, now) => {
        const { expires_at, rate_limit } = fields;
        if (seen.trust_id !== undefined && (expires_at !== undefined || rate_limit !== undefined))
          throw new ValidationError({ token_id: [hasTrust] });
        return expires_at === undefined
          ? fields
          : { ...fields, ...endOf(requireUnrotated(seen, now), expires_at, now) };
      },
    });
    return tokenResponse(token);
  },
});

/**
 * An earlier expiry also limits successors. Otherwise the client could extend its access by rotating the token. From then on, later
 * expiry dates limit successors too. Only `null` removes this limit.
 */
const endOf = (
  { expires_at: before, end_set_at }: TokenRecord,
  expires_at: string | null,
  now: string,
): TokenUpdate => {
  if (expires_at === null) return { expires_at, end_set_at: null };
  const isEarlier = before === undefined || expires_at < before;
  return { expires_at, ...(end_set_at === undefined && isEarlier && { end_set_at: now }) };
};

/** Returns the new values, except the comment. The record already has the comment, and histories must stay small. */
const detailsOf = ({
  comment,
  expires_at,
  rate_limit,
}: Pick<TokenUpdate, "comment" | "expires_at" | "rate_limit">) => ({
  ...(comment !== undefined && { comment: "changed" }),
  ...(expires_at !== undefined && { expires_at: expires_at ?? "never" }),
  ...(rate_limit !== undefined && { rate_limit: rate_limit === null ? "none" : String(rate_limit) }),
});

const hasTrust =
  "The token_id must not be that of a workload's token, whose expiry and limit follow from its trust: change the trust instead.";

const oneNeeded = "The token_id must be sent with at least one of comment, expires_at and rate_limit.";
