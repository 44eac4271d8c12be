import { ApiError } from "../../errors/api-error.ts";
import { dismissedIn } from "./dismissed-addresses.ts";
import { canonicalIp } from "./ip-address.ts";
import { matchesHash } from "./token-secret.ts";
import { type TokenState, tokenState } from "./token-state.ts";
import type { TokenRecord, TokenStore } from "./token-store.ts";
import { parseTokenText } from "./token-text.ts";

/** The caller: the verified token, and the address that the service saw. */
export interface Caller {
  token: TokenRecord;
  ip: string;
}

interface Credentials {
  /** The value of `X-Token`; API Gateway joins repeated headers with commas. */
  tokenText: string | undefined;
  /** The TCP peer as API Gateway saw it. */
  sourceIp: string | undefined;
}

/**
 * Verifies a token and the address that it came from, with one strongly consistent look-up.
 *
 * @throws {ApiError} `token_missing`, `token_invalid`, `token_expired`, `token_revoked`, `ip_not_allowed`, or `unavailable`
 * when the look-up fails. The only other outcome is a verified caller.
 */
export const authenticate = async (
  { tokenText, sourceIp }: Credentials,
  tokens: Pick<TokenStore, "find">,
): Promise<Caller> => {
  if (tokenText === undefined || tokenText === "" || tokenText.includes(",")) throw new ApiError("token_missing");

  const text = parseTokenText(tokenText);
  if (!text) throw new ApiError("token_invalid");

  const token = await tokens.find(text.token_id);
  const secretMatches = matchesHash(text.secret, token?.secret_hash);
  if (!token || !secretMatches) throw new ApiError("token_invalid");

  const ip = sourceIp === undefined ? undefined : canonicalIp(sourceIp);
  const facts = {
    token_id: token.token_id,
    ...(ip !== undefined && ip !== token.ip && wrongAddress(token, ip)),
  };

  const state = tokenState(token, new Date().toISOString());
  if (state !== "active") throw new ApiError(endedCodes[state], { facts });

  if (ip === undefined || ip !== token.ip) {
    throw new ApiError("ip_not_allowed", { values: { ip: ip ?? "an unknown address" }, facts });
  }
  return { token, ip };
};

/** Facts about a call with the correct secret from a wrong address. */
const wrongAddress = (token: TokenRecord, ip: string): Record<string, string> =>
  dismissedIn(token).some((dismissed) => dismissed.ip === ip)
    ? { dismissed_address: "right secret, wrong address that an admin has recognised" }
    : { leak_signal: "right secret, wrong address" };

const endedCodes = { expired: "token_expired", revoked: "token_revoked" } as const satisfies Partial<
  Record<TokenState, string>
>;
