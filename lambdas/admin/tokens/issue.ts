import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { formatTokenValue, generateTokenValue, hashSecret } from "../../domain/tokens/token-value.ts";
import { exampleToken } from "../../domain/tokens/tokens-table.ts";
import { present } from "../../shared/present.ts";
import { adminContract } from "../contract.ts";
import { client, comment, expiresAt, ip, rateLimit } from "./token-fields.ts";
import { tokenResponse } from "./token-response.ts";

export const issue = action({
  contract: adminContract.issue,
  summary: "Issues a token for one address. No other response contains the token's value.",
  uses: { tokens: ["insert"] },
  input: z.strictObject({
    ip,
    comment: z._default(comment, ""),
    client: z._default(client, null),
    expires_at: z._default(expiresAt, null),
    rate_limit: z._default(rateLimit, null),
  }),
  example: { ip: exampleToken.ip, comment: exampleToken.comment },
  async run({ ip, comment, client, expires_at, rate_limit }, { author, stores }) {
    const parts = generateTokenValue();
    const now = new Date().toISOString();
    const record = {
      token_id: parts.token_id,
      secret_hash: hashSecret(parts.secret),
      ip,
      comment,
      issued_at: now,
      changed_at: now,
      issued_by: author.by,
      ...present({ expires_at, rate_limit, client }),
    };
    await stores.tokens.insert(record, { kind: "issued", author, details: present({ ip, client }) });
    return { ...tokenResponse(record), token: formatTokenValue(parts) };
  },
});
