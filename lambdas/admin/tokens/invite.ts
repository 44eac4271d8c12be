import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { unknownIp } from "../../domain/tokens/ip-address.ts";
import { defaultInvitationSeconds, invitationSeconds } from "../../domain/tokens/token-limits.ts";
import { formatTokenValue, generateTokenValue, hashSecret } from "../../domain/tokens/token-value.ts";
import { exampleToken } from "../../domain/tokens/tokens-table.ts";
import { ValidationError } from "../../shared/errors/api-error.ts";
import { present } from "../../shared/present.ts";
import { wholeNumber } from "../../shared/validation/fields.ts";
import { adminContract } from "../contract.ts";
import { client, comment, expiresAt, ip, rateLimit } from "./token-fields.ts";
import { tokenResponse } from "./token-response.ts";

export const invite = action({
  contract: adminContract.invite,
  summary:
    "Creates an invitation, which the client exchanges for a token that nobody else sees. Without ip, an admin has to confirm the address from which the client calls first. No other response contains the invitation's value.",
  uses: { tokens: ["insert"] },
  input: z.strictObject({
    ip: z
      ._default(z.nullable(ip), null)
      .check(z.meta({ description: "The address that may redeem it; null if it is not known yet." })),
    comment: z._default(comment, ""),
    client: z._default(client, null),
    expires_at: z._default(expiresAt, null),
    rate_limit: z._default(rateLimit, null),
    valid_seconds: z
      ._default(wholeNumber(invitationSeconds), defaultInvitationSeconds)
      .check(z.meta({ description: "How long the invitation can be redeemed." })),
  }),
  example: { comment: exampleToken.comment },
  async run({ ip, comment, client, expires_at, rate_limit, valid_seconds }, { author, stores }) {
    const now = new Date().toISOString();
    const invitation_ends_at = new Date(Date.parse(now) + valid_seconds * 1000).toISOString();
    if (expires_at !== null && expires_at <= invitation_ends_at) throw new ValidationError({ expires_at: [tooEarly] });

    const parts = generateTokenValue();
    const record = {
      token_id: parts.token_id,
      // There is no token yet, so this is the hash of a random secret that nobody knows.
      secret_hash: hashSecret(generateTokenValue().secret),
      invitation_hash: hashSecret(parts.secret),
      invitation_ends_at,
      ip: ip ?? unknownIp,
      comment,
      issued_at: now,
      changed_at: now,
      issued_by: author.by,
      expires_at: invitation_ends_at,
      ...present({ token_expires_at: expires_at, rate_limit, client }),
    };
    await stores.tokens.insert(record, { kind: "invited", author, details: present({ ip, client }) });
    return { ...tokenResponse(record), invitation_text: formatTokenValue(parts, "invitation") };
  },
});

const tooEarly = "The expires_at must be later than the end of the invitation.";
