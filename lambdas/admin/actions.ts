// The admin actions. An action is one declaration, one line here and one line in contract.ts; its name is the `action` field of an
// invocation.

export { address } from "./address.ts";
export { history } from "./history/history.ts";
export {
  createKey as create_key,
  deleteKey as delete_key,
  getKey as get_key,
  listKeys as list_keys,
  replaceKey as replace_key,
  revealKey as reveal_key,
} from "./keys.ts";
export { notices } from "./notices/notices.ts";
export { confirm, reject } from "./tokens/decide-request.ts";
export { dismissLeak as dismiss_leak, restoreLeak as restore_leak } from "./tokens/dismiss-leak.ts";
export { get, list } from "./tokens/get.ts";
export { invite } from "./tokens/invite.ts";
export { issue } from "./tokens/issue.ts";
export { revoke } from "./tokens/revoke.ts";
export { rotate } from "./tokens/rotate.ts";
export { update } from "./tokens/update.ts";
export { leaks, usage } from "./tokens/usage.ts";
