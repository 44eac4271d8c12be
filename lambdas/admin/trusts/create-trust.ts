import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { unknownIp } from "../../domain/tokens/ip-address.ts";
import { exampleTrust } from "../../domain/tokens/tokens-table.ts";
import { noSecretHash, type Trust, trustIdOf } from "../../domain/tokens/trust.ts";
import { ValidationError } from "../../shared/errors/api-error.ts";
import { present } from "../../shared/present.ts";
import { adminContract } from "../contract.ts";
import { client, comment, expiresAt, rateLimit } from "../tokens/token-fields.ts";
import { requireTrust } from "./changed-trust.ts";
import { ip, issuer, subject, tokenSeconds } from "./trust-fields.ts";
import { trustResponse } from "./trust-response.ts";

export const createTrust = action({
  contract: adminContract.create_trust,
  summary:
    "Trusts a workload: the JWT of this subject, signed by this issuer, can be exchanged for short-lived tokens. Both are compared letter by letter. In place of a trust that has ended, it makes a new one; tokens of the old one stay ended.",
  uses: { tokens: ["trust"] },
  input: z.strictObject({
    issuer,
    subject,
    comment: z._default(comment, ""),
    client: z._default(client, null),
    token_seconds: z._default(tokenSeconds, 3600),
    ip: z._default(ip, null),
    expires_at: z._default(expiresAt, null),
    rate_limit: z._default(rateLimit, null),
  }),
  example: { issuer: exampleTrust.issuer, subject: "repo:acme/shop:environment:production" },
  async run({ issuer, subject, comment, client, token_seconds, ip, expires_at, rate_limit }, { author, stores }) {
    const now = new Date().toISOString();
    const record: Trust = {
      token_id: trustIdOf(issuer, subject),
      secret_hash: noSecretHash,
      ip: ip ?? unknownIp,
      comment,
      issued_at: now,
      changed_at: now,
      issued_by: author.by,
      trusted_at: now,
      issuer,
      subject,
      token_seconds,
      ...present({ expires_at, rate_limit, client }),
    };
    const details = present({ issuer, subject, client });
    const { made, token } = await stores.tokens.trust(record, { kind: "trusted", author, details });
    if (!made) throw new ValidationError({ subject: [taken] });
    return trustResponse(requireTrust(token));
  },
});

const taken = "The subject of this issuer is trusted already: change that trust instead.";
