import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { wholeNumber } from "../../validation/fields.ts";
import { adminContract } from "../contract.ts";
import { requireUnrotated } from "./changed-token.ts";
import { tokenId } from "./fields.ts";
import { storeNewToken } from "./new-token.ts";
import { tokenAnswer } from "./token-answer.ts";

const longestGraceSeconds = 7 * 24 * 60 * 60;

/*
 * The successor is stored before the old token is ended: a failure in between leaves a token whose text nobody has, never
 * a client without a token. The old token is ended only if nobody else has ended or edited it meanwhile, because the successor
 * has the old terms; the loser of that race revokes its own successor again.
 */
export const rotate = action({
  contract: adminContract.rotate,
  summary:
    "Issues a successor for the same address, with the same rate limit and lifetime, and ends the old token after grace_seconds. Returns the successor; no other response has its text.",
  uses: { tokens: ["find", "insert", "rotate", "settle", "revoke"] },
  input: z.strictObject({
    token_id: tokenId,
    grace_seconds: wholeNumber({ min: 0, max: longestGraceSeconds }).check(
      z.meta({ description: "How long the old token keeps working." }),
    ),
  }),
  example: { token_id: exampleToken.token_id, grace_seconds: 3600 },
  async run({ token_id, grace_seconds }, { actor, stores: { tokens } }) {
    const now = new Date().toISOString();
    const old = requireUnrotated(await tokens.find(token_id), now);

    const { record, token } = await storeNewToken(tokens, {
      ip: old.ip,
      comment: old.comment,
      issued_at: now,
      issued_by: actor,
      predecessor_id: old.token_id,
      limit_id: old.limit_id ?? old.token_id,
      ...(old.rate_limit !== undefined && { rate_limit: old.rate_limit }),
      ...(old.dismissed_addresses !== undefined && { dismissed_addresses: old.dismissed_addresses }),
      ...(old.expires_at !== undefined && { expires_at: plusLifetime(now, old.issued_at, old.expires_at) }),
    });

    const rotation = {
      expires_at: earlier(plusSeconds(now, grace_seconds), old.expires_at),
      rotated_at: now,
      rotated_by: actor,
      successor_id: record.token_id,
    };
    let failure: unknown;
    const rotated = await tokens.rotate(old, rotation).catch((error: unknown) => {
      failure = error;
    });
    if (!rotated?.made) {
      // After a failure, an attempt may still be under way. The successor must not be revoked before that has been ruled out.
      const current = rotated ? rotated.token : await tokens.settle(token_id);
      if (current?.successor_id !== record.token_id) {
        await tokens.revoke(record.token_id, { revoked_at: new Date().toISOString(), revoked_by: actor });
        requireUnrotated(current, new Date().toISOString());
        throw failure ?? new ApiError("unavailable", { cause: new Error("The token was edited during its rotation.") });
      }
    }
    return { ...tokenAnswer(record), token };
  },
});

// Times are compared as text, which does not work for a year of five digits.
const lastTime = Date.parse("9999-12-31T23:59:59.999Z");

const plusSeconds = (time: string, seconds: number): string =>
  new Date(Math.min(Date.parse(time) + seconds * 1000, lastTime)).toISOString();

const plusLifetime = (now: string, issuedAt: string, expiresAt: string): string =>
  plusSeconds(now, (Date.parse(expiresAt) - Date.parse(issuedAt)) / 1000);

const earlier = (time: string, other: string | undefined): string =>
  other !== undefined && other < time ? other : time;
