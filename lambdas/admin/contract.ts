import * as z from "zod/mini";
import type { ActionContract } from "../declaration/action.ts";
import { changeKinds } from "../domain/history/change-kinds.ts";
import { shownKey, key as storedKey } from "../domain/keys/key-fields.ts";
import { deliveryStates, foundNotice } from "../domain/notices/notice.ts";
import { typesOnly } from "../shared/validation/types-only.ts";
import {
  addressCheck,
  invitedToken,
  issuedToken,
  leakList,
  token,
  tokenPage,
  tokenUsage,
} from "./tokens/token-schemas.ts";
import { trust, trustList } from "./trusts/trust-schemas.ts";

/*
 * What the admin actions return, except those on tokens and trusted workloads. The web interface validates responses with these schemas, so this file
 * must not import anything that only runs on a server. All times are RFC 3339 in UTC, with milliseconds.
 */

/** Maximum duration of an action, in seconds. A page of a long history takes several seconds. API Gateway waits 30 seconds. */
export const actionSeconds = 29;

/** A change to a token, trusted workload or key, or a record that an admin was shown a v_code. */
const change = z.object({
  /** RFC 3339, UTC, with milliseconds. */
  time: z.string(),
  kind: z.enum(changeKinds),
  /** The id of the token or trusted workload. Either `token_id` or `key_id` is null. */
  token_id: z.nullable(z.string()),
  key_id: z.nullable(z.string()),
  /** An admin's name, `invoke:<request id>[:<name>]`, or `token:<token id>`. */
  by: z.string(),
  /** The IP address that the change came from; null for an invocation. */
  from: z.nullable(z.string()),
  request_id: z.string(),
  /** Details, such as the new expiry. */
  details: z.record(z.string(), z.string()),
});

export const changePage = z.object({
  /** Newest first. */
  changes: z.array(change),
  next_cursor: z.nullable(z.string()),
  /** The number of older changes that are no longer kept, for all records read for this page. It ignores the filters. */
  dropped: z.number(),
  /** The number of records read for this page, which determines its cost. */
  examined: z.number(),
});

/** A key without its v_code. The v_code is a secret that admins see only on request. */
export const listedKey = z.object({
  ...typesOnly(shownKey).shape,
  /** An admin, or `token:<token id>`; null if the history no longer includes the creation. */
  created_by: z.nullable(z.string()),
  /** Who last changed it, in the same form. */
  updated_by: z.nullable(z.string()),
});

/** A key with its v_code. Only `reveal_key` returns it. */
export const key = typesOnly(storedKey);

export const keyPage = z.object({
  keys: z.array(listedKey),
  next_cursor: z.nullable(z.string()),
  /** The number of items read for this page, which determines its cost. */
  examined: z.number(),
});

/** A notice with the states of its deliveries. `uncertain` means that the message may have arrived; it is not sent again. */
const notice = z.extend(foundNotice, { topic: z.enum(deliveryStates), bus: z.enum(deliveryStates) });

export const noticePage = z.object({ notices: z.array(notice), next_cursor: z.nullable(z.string()) });

/**
 * The admin actions as clients see them: the route below `/admin`, the success status (default: 200) and the schema of the body, if
 * there is one. The web interface uses this table, so nothing here may depend on a server.
 */
export const adminContract = {
  address: { route: "GET /address", response: addressCheck },
  confirm: { route: "POST /tokens/{token_id}/confirm", response: token },
  create_key: { route: "POST /keys", status: 201, response: listedKey },
  create_trust: { route: "POST /trusts", status: 201, response: trust },
  delete_key: { route: "DELETE /keys/{key_id}", status: 204 },
  dismiss_leak: { route: "POST /tokens/{token_id}/dismissed_addresses", response: token },
  end_trust: { route: "DELETE /trusts/{trust_id}", response: trust },
  end_trust_tokens: { route: "POST /trusts/{trust_id}/end_tokens", response: trust },
  get: { route: "GET /tokens/{token_id}", response: token },
  get_key: { route: "GET /keys/{key_id}", response: listedKey },
  get_trust: { route: "GET /trusts/{trust_id}", response: trust },
  history: { route: "GET /history", response: changePage },
  invite: { route: "POST /invitations", status: 201, response: invitedToken },
  issue: { route: "POST /tokens", status: 201, response: issuedToken },
  leaks: { route: "GET /leaks", response: leakList },
  list: { route: "GET /tokens", response: tokenPage },
  list_keys: { route: "GET /keys", response: keyPage },
  list_trusts: { route: "GET /trusts", response: trustList },
  notices: { route: "GET /notices", response: noticePage },
  reject: { route: "POST /tokens/{token_id}/reject", response: token },
  replace_key: { route: "PUT /keys/{key_id}", response: listedKey },
  restore_leak: { route: "DELETE /tokens/{token_id}/dismissed_addresses/{ip}", response: token },
  reveal_key: { route: "POST /v_codes/{key_id}", response: key },
  revoke: { route: "DELETE /tokens/{token_id}", response: token },
  rotate: { route: "POST /tokens/{token_id}/rotate", status: 201, response: issuedToken },
  update: { route: "PUT /tokens/{token_id}", response: token },
  update_trust: { route: "PUT /trusts/{trust_id}", response: trust },
  usage: { route: "GET /tokens/{token_id}/usage", response: tokenUsage },
} as const satisfies Record<string, ActionContract>;

export type ActionName = keyof typeof adminContract;

/** The result of an action. */
export type ActionResponse<Name extends ActionName> = (typeof adminContract)[Name] extends {
  response: infer Response extends z.ZodMiniType;
}
  ? z.output<Response>
  : undefined;
