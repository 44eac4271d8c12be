import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { comment, expiresAt, ip, rateLimit } from "./fields.ts";
import { storeNewToken } from "./new-token.ts";
import { tokenAnswer } from "./token-answer.ts";

export const issue = action({
  contract: adminContract.issue,
  summary: "Issues a token for one address. No other response has the text of the token.",
  uses: { tokens: ["insert"] },
  input: z.strictObject({
    ip,
    comment: z._default(comment, ""),
    expires_at: z._default(expiresAt, null),
    rate_limit: z._default(rateLimit, null),
  }),
  example: { ip: exampleToken.ip, comment: exampleToken.comment },
  async run({ ip, comment, expires_at, rate_limit }, { actor, stores }) {
    const { record, token } = await storeNewToken(stores.tokens, {
      ip,
      comment,
      issued_at: new Date().toISOString(),
      issued_by: actor,
      ...(expires_at !== null && { expires_at }),
      ...(rate_limit !== null && { rate_limit }),
    });
    return { ...tokenAnswer(record), token };
  },
});
