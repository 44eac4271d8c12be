import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { unknownIp } from "../../domain/tokens/ip-address.ts";
import { exampleTrust } from "../../domain/tokens/tokens-table.ts";
import { otherError, ValidationError } from "../../shared/errors/api-error.ts";
import { adminContract } from "../contract.ts";
import { comment, expiresAt, rateLimit } from "../tokens/token-fields.ts";
import { changeTrust } from "./changed-trust.ts";
import { ip, tokenSeconds, trustId } from "./trust-fields.ts";
import { trustResponse } from "./trust-response.ts";

export const updateTrust = action({
  contract: adminContract.update_trust,
  summary:
    "Changes the terms of a trusted workload. Fields that are not sent stay as they are. The limit, the address and the end apply to its tokens from their next request, token_seconds to new ones.",
  uses: { tokens: ["find", "changeTrust"] },
  input: z.strictObject({
    trust_id: trustId,
    comment: z.optional(comment),
    token_seconds: z.optional(tokenSeconds),
    ip: z.optional(ip),
    expires_at: z.optional(expiresAt),
    rate_limit: z.optional(rateLimit),
  }),
  example: { trust_id: exampleTrust.token_id, token_seconds: 600 },
  async run({ trust_id, ...fields }, { author, stores }) {
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    if (Object.keys(sent).length === 0) throw new ValidationError({ trust_id: [oneNeeded] });
    const { comment, ...terms } = sent;
    const details = {
      ...(comment !== undefined && { comment: "changed" }),
      ...Object.fromEntries(Object.entries(terms).map(([name, value]) => [name, String(value ?? "none")])),
    };
    const { trust, made } = await changeTrust(stores.tokens, {
      trust_id,
      note: { kind: "trust_updated", author, details },
      terms: () => ({ ...sent, ...(sent.ip === null && { ip: unknownIp }) }),
    });
    // The trust may have ended since `changeTrust` read it.
    if (!made) throw otherError("trust_ended");
    return trustResponse(trust);
  },
});

const oneNeeded =
  "The trust_id must be sent with at least one of comment, token_seconds, ip, expires_at and rate_limit.";
