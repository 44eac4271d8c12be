import type { Token } from "../../../api/types.ts";

/** The dialog that is open, and the token that it is about. */
export type OpenDialog = { name: "issue" } | { name: "edit" | "rotate" | "revoke"; token: Token };
