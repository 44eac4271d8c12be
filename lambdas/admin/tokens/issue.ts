import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { comment, expiresAt, ip } from "./fields.ts";
import { storeNewToken } from "./new-token.ts";
import { tokenAnswer } from "./token-answer.ts";

export const issue = action({
  route: "POST /tokens",
  status: 201,
  summary: "Issues a token for one address. The answer is the only one that has its text.",
  uses: { tokens: ["insert"] },
  input: z.strictObject({ ip, comment, expires_at: z._default(expiresAt, null) }),
  async run({ ip, comment, expires_at }, { actor, stores }) {
    const { record, token } = await storeNewToken(stores.tokens, {
      ip,
      comment,
      issued_at: new Date().toISOString(),
      issued_by: actor,
      ...(expires_at !== null && { expires_at }),
    });
    return { ...tokenAnswer(record), token };
  },
});
