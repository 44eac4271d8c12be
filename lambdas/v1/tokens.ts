// Version 1 of what clients do with their own tokens. An endpoint is one file and one line here.

export { getToken } from "./get-token.ts";
export { moveToken } from "./move-token.ts";
export { redeemInvitation } from "./redeem-invitation.ts";
export { revokeToken } from "./revoke-token.ts";
export { rotateToken } from "./rotate-token.ts";
