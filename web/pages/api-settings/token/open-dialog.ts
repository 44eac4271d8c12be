import { createContext, use } from "react";
import type { ConfirmationRequest, Token, Trust } from "../../../api/types.ts";

/** What an admin decides about a request for confirmation. */
export type Decision = "confirm" | "reject";

/** What an admin decides about the warnings about an address. */
export type LeakDecision = "dismiss" | "restore";

/** The token whose client is invited again, and the address for which it is. */
export interface Model {
  token: Token;
  ip: string | null;
}

/** The dialog that is open, and what it is about. A request is decided as it was shown, whatever it is by then. */
export type OpenDialog =
  | { name: "issue" | "trust" }
  | { name: "edit trust" | "end trust" | "end trust tokens"; trust: Trust }
  | { name: "invite"; model?: Model }
  | { name: "edit" | "rotate" | "revoke" | "revoke and invite" | "end old"; token: Token }
  | { name: LeakDecision; token: Token; ip: string }
  | { name: Decision; token: Token; request: ConfirmationRequest };

/** Provided by the page, which shows the dialog. */
export const DialogContext = createContext<(dialog: OpenDialog) => void>(() => {});

/** Opens a dialog of the page. */
export const useOpenDialog = () => use(DialogContext);
