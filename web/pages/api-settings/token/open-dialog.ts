import type { ConfirmationRequest, Token } from "../../../api/types.ts";

/** What an admin decides about a request for confirmation. */
export type Decision = "confirm" | "reject";

/** The dialog that is open, and what it is about. A request is decided as it was shown, whatever it is by then. */
export type OpenDialog =
  | { name: "invite" }
  | { name: "edit" | "rotate" | "revoke"; token: Token }
  | { name: Decision; token: Token; request: ConfirmationRequest };
