import { createContext, use } from "react";
import type { ConfirmationRequest, Token, Trust } from "../../../api/types.ts";

/** An admin's decision about a confirmation request. */
export type Decision = "confirm" | "reject";

/** An admin's decision about warnings for an address. */
export type LeakDecision = "dismiss" | "restore";

/** The token whose client is invited again, and the address to invite it for. */
export interface Model {
  token: Token;
  ip: string | null;
}

/** The open dialog and its subject. A request is decided as it was shown, even if it has changed since. */
export type OpenDialog =
  | { name: "issue" | "trust" }
  | { name: "edit trust" | "end trust" | "end trust tokens"; trust: Trust }
  | { name: "invite"; model?: Model }
  | { name: "edit" | "rotate" | "revoke" | "revoke and invite" | "end old"; token: Token }
  | { name: LeakDecision; token: Token; ip: string }
  | { name: Decision; token: Token; request: ConfirmationRequest };

/** The page provides this function and shows the dialog. */
export const DialogContext = createContext<(dialog: OpenDialog) => void>(() => {});

/** Returns the function that opens a dialog of the page. */
export const useOpenDialog = () => use(DialogContext);
