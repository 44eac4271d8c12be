// Version 1 of the API. An endpoint is one file and one line here; it is named after its file, in camel case.

export { createKey } from "./create-key.ts";
export { deleteKey } from "./delete-key.ts";
export { getKey } from "./get-key.ts";
export { getToken } from "./get-token.ts";
export { listKeys } from "./list-keys.ts";
export { moveToken } from "./move-token.ts";
export { redeemInvitation } from "./redeem-invitation.ts";
export { replaceKey } from "./replace-key.ts";
export { revokeToken } from "./revoke-token.ts";
export { rotateToken } from "./rotate-token.ts";
