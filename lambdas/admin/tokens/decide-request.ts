import * as z from "zod/mini";
import { action } from "../../declaration/action.ts";
import { ApiError } from "../../errors/api-error.ts";
import type { Author } from "../../resources/history/change-entry.ts";
import { type AddressRequest, isCode, isWaiting, requestIn } from "../../resources/tokens/address-request.ts";
import { isUnredeemed } from "../../resources/tokens/life-cycle.ts";
import type { TokenRecord, TokenStore } from "../../resources/tokens/token-store.ts";
import { exampleRequest, exampleToken } from "../../resources/tokens/tokens-table.ts";
import { adminContract } from "../contract.ts";
import { requireLive } from "./changed-token.ts";
import { ip, tokenId } from "./fields.ts";
import { tokenAnswer } from "./token-answer.ts";

/** The request that the admin was shown. The decision applies to this request only, not to a later one. */
const shownRequest = z.strictObject({
  token_id: tokenId,
  ip: ip.check(z.meta({ description: "The address of the request, as it was shown." })),
  code: z
    .string()
    .check(
      z.refine(isCode, "must be the code of a request, such as K7P-4XQ."),
      z.meta({ description: "The code of the request, as it was shown." }),
    ),
});

interface Decision extends z.output<typeof shownRequest> {
  decision: NonNullable<AddressRequest["decision"]>;
  author: Author;
}

/**
 * Decides a client's request, and returns the token. Repeating the decision changes nothing.
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
  if (request?.ip !== ip || request.code !== code) throw new ApiError("request_changed");
  if (request.decision === decision) return seen;
  if (!isWaiting(request, now) || seen.successor_id !== undefined) throw new ApiError("request_changed");

  const decided: AddressRequest = { ...request, decision, decided_at: now, decided_by: author.by };
  const binds = decision === "confirmed" && isUnredeemed(seen);
  const change = { request: JSON.stringify(decided), ...(binds && { ip }) };
  const { made, token } = await tokens.request(seen, change, { kind: decision, author, details: { ip, code } });
  if (made && token) return token;
  const current = token && requestIn(token);
  if (token && current?.code === code && current.decision === decision) return token;
  throw new ApiError("request_changed");
};

const uses = { tokens: ["find", "request"] } as const;
const example = { token_id: exampleToken.token_id, ip: exampleRequest.ip, code: exampleRequest.code };

export const confirm = action({
  contract: adminContract.confirm,
  summary:
    "Confirms the address from which a client has called with its invitation, or to which it wants to move its token. Compare the code with the one that the client's operator sees, and send exactly the address and the code that were shown.",
  uses,
  input: shownRequest,
  example,
  async run(shown, { author, stores }) {
    return tokenAnswer(await decideRequest(stores.tokens, { ...shown, decision: "confirmed", author }));
  },
});

export const reject = action({
  contract: adminContract.reject,
  summary:
    "Rejects the address from which a client has called with its invitation, or to which it wants to move its token. The client is refused from there for up to 24 hours.",
  uses,
  input: shownRequest,
  example,
  async run(shown, { author, stores }) {
    return tokenAnswer(await decideRequest(stores.tokens, { ...shown, decision: "rejected", author }));
  },
});
