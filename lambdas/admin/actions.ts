// The admin actions. Each action has its own file, a line here and a line in contract.ts. Invocations select it by the name here,
// in their `action` field.

export { address } from "./address.ts";
export { history } from "./history/list-changes.ts";
export { createKey as create_key } from "./keys/create-key-action.ts";
export { deleteKey as delete_key } from "./keys/delete-key-action.ts";
export { getKey as get_key } from "./keys/get-key-action.ts";
export { listKeys as list_keys } from "./keys/list-keys-action.ts";
export { replaceKey as replace_key } from "./keys/replace-key-action.ts";
export { revealKey as reveal_key } from "./keys/reveal-key-action.ts";
export { notices } from "./notices/list-notices.ts";
export { confirm } from "./tokens/confirm.ts";
export { dismissLeak as dismiss_leak } from "./tokens/dismiss-leak.ts";
export { get } from "./tokens/get.ts";
export { invite } from "./tokens/invite.ts";
export { issue } from "./tokens/issue.ts";
export { leaks } from "./tokens/leaks.ts";
export { list } from "./tokens/list.ts";
export { reject } from "./tokens/reject.ts";
export { restoreLeak as restore_leak } from "./tokens/restore-leak.ts";
export { revoke } from "./tokens/revoke.ts";
export { rotate } from "./tokens/rotate.ts";
export { update } from "./tokens/update.ts";
export { usage } from "./tokens/usage.ts";
export { createTrust as create_trust } from "./trusts/create-trust.ts";
export { endTrust as end_trust } from "./trusts/end-trust.ts";
export { endTrustTokens as end_trust_tokens } from "./trusts/end-trust-tokens.ts";
export { getTrust as get_trust } from "./trusts/get-trust.ts";
export { listTrusts as list_trusts } from "./trusts/list-trusts.ts";
export { updateTrust as update_trust } from "./trusts/update-trust.ts";
