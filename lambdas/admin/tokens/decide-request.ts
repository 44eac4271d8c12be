import * as z from "zod/mini";
import type { Author } from "../../domain/history/change-entry.ts";
import { type AddressRequest, isCode, isWaiting, requestIn } from "../../domain/tokens/address-request.ts";
import { isUnredeemed } from "../../domain/tokens/life-cycle.ts";
import type { TokenRecord, TokenStore } from "../../domain/tokens/token-store.ts";
import { exampleRequest, exampleToken } from "../../domain/tokens/tokens-table.ts";
import { otherError } from "../../shared/errors/api-error.ts";
import { requireLive } from "./changed-token.ts";
import { ip, tokenId } from "./token-fields.ts";

/** The request that the admin saw. The decision applies only to this request, not to a later one. */
export const shownRequest = z.strictObject({
  token_id: tokenId,
  ip: ip.check(z.meta({ description: "The address of the request, as it was shown." })),
  code: z
    .string()
    .check(
      z.refine(isCode, "must be the code of a request, such as K7P-4XQ."),
      z.meta({ description: "The code of the request, as it was shown." }),
    ),
});

export const exampleDecision = { token_id: exampleToken.token_id, ip: exampleRequest.ip, code: exampleRequest.code };

interface Decision extends z.output<typeof shownRequest> {
  decision: NonNullable<AddressRequest["decision"]>;
  author: Author;
}

/**
 * Records the decision on a client's request, and returns the token. Repeating the decision changes nothing.
 *
 * @throws {ApiError} `token_not_found`, `token_not_active`, or `request_changed` if the current request is not the one that was
 * shown, has ended, or was decided differently
 */
export const decideRequest = async (
  tokens: Pick<TokenStore, "find" | "request">,
  { token_id, ip, code, decision, author }: Decision,
): Promise<TokenRecord> => {
  const now = new Date().toISOString();
  const seen = requireLive(await tokens.find(token_id), now);
  const request = requestIn(seen);
  if (request?.ip !== ip || request.code !== code) throw otherError("request_changed");
  if (request.decision === decision) return seen;
  if (!isWaiting(request, now)) throw otherError("request_changed");

  const decided: AddressRequest = { ...request, decision, decided_at: now, decided_by: author.by };
  const binds = decision === "confirmed" && isUnredeemed(seen);
  const change = { request: JSON.stringify(decided), ...(binds && { ip }) };
  const { made, token } = await tokens.request(seen, change, { kind: decision, author, details: { ip, code } });
  if (made && token) return token;
  const current = token && requestIn(token);
  if (token && current?.code === code && current.decision === decision) return token;
  throw otherError("request_changed");
};
