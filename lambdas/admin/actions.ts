// What an admin can do. An action is one file and one line here; its name is that of the `action` field.

export { get } from "./get.ts";
export { issue } from "./issue.ts";
export { list } from "./list.ts";
export { revoke } from "./revoke.ts";
export { rotate } from "./rotate.ts";
