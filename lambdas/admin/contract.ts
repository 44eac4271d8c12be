import type * as z from "zod/mini";
import type { ActionContract } from "../declaration/action.ts";
import { changePage } from "./history/responses.ts";
import { key, keyPage, listedKey } from "./keys/responses.ts";
import { noticePage } from "./notices/responses.ts";
import { addressCheck, invitedToken, issuedToken, leakList, token, tokenPage, tokenUsage } from "./tokens/responses.ts";

/**
 * The admin actions as their clients see them: the route below `/admin`, the status of a success (200 unless given) and the
 * schema of its body, if it has one. The web interface uses this table, so nothing here may need a server.
 */
export const adminContract = {
  address: { route: "GET /address", response: addressCheck },
  confirm: { route: "POST /tokens/{token_id}/confirm", response: token },
  create_key: { route: "POST /keys", status: 201, response: listedKey },
  delete_key: { route: "DELETE /keys/{key_id}", status: 204 },
  dismiss_leak: { route: "POST /tokens/{token_id}/dismissed_addresses", response: token },
  get: { route: "GET /tokens/{token_id}", response: token },
  get_key: { route: "GET /keys/{key_id}", response: listedKey },
  history: { route: "GET /history", response: changePage },
  invite: { route: "POST /invitations", status: 201, response: invitedToken },
  issue: { route: "POST /tokens", status: 201, response: issuedToken },
  leaks: { route: "GET /leaks", response: leakList },
  list: { route: "GET /tokens", response: tokenPage },
  list_keys: { route: "GET /keys", response: keyPage },
  notices: { route: "GET /notices", response: noticePage },
  reject: { route: "POST /tokens/{token_id}/reject", response: token },
  replace_key: { route: "PUT /keys/{key_id}", response: listedKey },
  restore_leak: { route: "DELETE /tokens/{token_id}/dismissed_addresses/{ip}", response: token },
  reveal_key: { route: "POST /v_codes/{key_id}", response: key },
  revoke: { route: "DELETE /tokens/{token_id}", response: token },
  rotate: { route: "POST /tokens/{token_id}/rotate", status: 201, response: issuedToken },
  update: { route: "PUT /tokens/{token_id}", response: token },
  usage: { route: "GET /tokens/{token_id}/usage", response: tokenUsage },
} as const satisfies Record<string, ActionContract>;

export type ActionName = keyof typeof adminContract;

/** The result of an action. */
export type ActionResponse<Name extends ActionName> = (typeof adminContract)[Name] extends {
  response: infer Response extends z.ZodMiniType;
}
  ? z.output<Response>
  : undefined;
