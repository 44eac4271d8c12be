import type * as z from "zod/mini";
import { addressOf, isTrusted, type Trust } from "../../domain/tokens/trust.ts";
import type { trust } from "./trust-schemas.ts";

/** Returns a trust's record as admins see it. */
export const trustResponse = (record: Trust): z.output<typeof trust> => ({
  trust_id: record.token_id,
  issuer: record.issuer,
  subject: record.subject,
  comment: record.comment,
  client: record.client ?? null,
  state: isTrusted(record, new Date().toISOString()) ? "active" : "ended",
  token_seconds: record.token_seconds,
  ip: addressOf(record) ?? null,
  rate_limit: record.rate_limit ?? null,
  expires_at: record.expires_at ?? null,
  created_at: record.issued_at,
  created_by: record.issued_by,
  updated_at: record.updated_at ?? null,
  updated_by: record.updated_by ?? null,
  tokens_since: record.trusted_at,
  unreachable_since: record.unreachable_since ?? null,
});
