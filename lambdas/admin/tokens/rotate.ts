import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { succeed } from "../../domain/tokens/succession.ts";
import { longestGraceSeconds } from "../../domain/tokens/token-limits.ts";
import { formatTokenValue, generateTokenValue } from "../../domain/tokens/token-value.ts";
import { exampleToken } from "../../domain/tokens/tokens-table.ts";
import { ApiError } from "../../shared/errors/api-error.ts";
import { wholeNumber } from "../../shared/validation/fields.ts";
import { adminContract } from "../contract.ts";
import { requireUnrotated } from "./changed-token.ts";
import { tokenId } from "./token-fields.ts";
import { tokenResponse } from "./token-response.ts";

export const rotate = action({
  contract: adminContract.rotate,
  summary:
    "Issues a successor for the same address, with the same rate limit and lifetime, and ends the old token after grace_seconds. Returns the successor. No other response contains its value.",
  uses: { tokens: ["find", "insert", "rotate", "settle", "revoke"] },
  input: z.strictObject({
    token_id: tokenId,
    grace_seconds: wholeNumber({ min: 0, max: longestGraceSeconds }).check(
      z.meta({ description: "How long the old token keeps working." }),
    ),
  }),
  example: { token_id: exampleToken.token_id, grace_seconds: 3600 },
  async run({ token_id, grace_seconds }, { author, stores: { tokens } }) {
    const now = new Date().toISOString();
    const old = requireUnrotated(await tokens.find(token_id), now);

    const parts = generateTokenValue();
    const succession = await succeed(tokens, old, {
      parts,
      ip: old.ip,
      by: author.by,
      author,
      now,
      graceSeconds: grace_seconds,
    });
    if (!succession.made) {
      requireUnrotated(succession.current, new Date().toISOString());
      throw (
        succession.failure ??
        new ApiError("unavailable", { cause: new Error("The token was edited during its rotation.") })
      );
    }
    return { ...tokenResponse(succession.successor), token: formatTokenValue(parts) };
  },
});
