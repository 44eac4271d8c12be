import { resource } from "../declaration/service.ts";
import { exchangeToken } from "./exchange-token.ts";
import { getToken } from "./get-token.ts";
import { moveToken } from "./move-token.ts";
import { redeemInvitation } from "./redeem-invitation.ts";
import { revokeToken } from "./revoke-token.ts";
import { rotateToken } from "./rotate-token.ts";

/** The changes that clients make to their own tokens. */
export const tokens = resource({
  name: "tokens",
  folder: import.meta.dirname,
  unnestedIn: "v1",
  endpoints: { exchangeToken, getToken, moveToken, redeemInvitation, revokeToken, rotateToken },
});
