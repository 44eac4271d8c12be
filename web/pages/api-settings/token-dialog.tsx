import type { Token } from "../../api/token.ts";
import { IssueDialog } from "./issue-dialog.tsx";
import { LimitDialog } from "./limit-dialog.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";

/** What is being done, and with which token. */
export type OpenDialog = { name: "issue" } | { name: "limit" | "rotate" | "revoke"; token: Token };

export interface TokenDialogProps {
  onClose: () => void;
  /** Called with each token that is new or other than before. */
  onChange: (token: Token) => void;
  /** Called when it is not known what became of the tokens. */
  onDoubt: () => void;
}

export const TokenDialog = ({ open, ...props }: TokenDialogProps & { open: OpenDialog | undefined }) => {
  if (open === undefined) return null;
  if (open.name === "issue") return <IssueDialog {...props} />;
  if (open.name === "limit") return <LimitDialog token={open.token} {...props} />;
  if (open.name === "rotate") return <RotateDialog token={open.token} {...props} />;
  return <RevokeDialog token={open.token} {...props} />;
};
